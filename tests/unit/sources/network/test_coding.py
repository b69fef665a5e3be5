"""Bodies that are packed for the way."""

import gzip
from http.client import HTTPMessage, HTTPResponse
from itertools import islice
from types import SimpleNamespace
from typing import cast

import pytest

from vitcam.sources.network.coding import unpacked


def declared(coding: str) -> HTTPResponse:
    """A response that says how its body is packed."""
    headers = HTTPMessage()
    headers["Content-Encoding"] = coding
    return cast(HTTPResponse, SimpleNamespace(headers=headers))


def test_what_a_megabyte_holds_comes_in_pieces_as_it_is_asked_for() -> None:
    packed = gzip.compress(bytes(1 << 28), 1)
    first = list(islice(unpacked(declared("gzip"), iter([packed])), 3))

    assert [len(piece) for piece in first] == [1 << 20] * 3


def test_pieces_of_any_size_and_several_members_make_the_same_body() -> None:
    body = b"".join(i.to_bytes(4, "big") for i in range(5000))
    packed = gzip.compress(body[:7000]) + gzip.compress(body[7000:]) + bytes(10)
    for size in (1, 7, 1000, len(packed)):
        chunks = (packed[at : at + size] for at in range(0, len(packed), size))

        assert b"".join(unpacked(declared(" GZip "), chunks)) == body


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "\x1b[31m"])
def test_a_coding_that_is_unknown_is_refused_by_its_name(coding: str) -> None:
    with pytest.raises(OSError, match="Content-Encoding '") as refused:
        list(unpacked(declared(coding), iter([b"x"])))

    assert str(refused.value).isprintable()
