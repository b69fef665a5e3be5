"""What comes from a camera, also in pieces, damaged, and from somebody else."""

from collections.abc import AsyncIterator

import pytest
from custom_components.vitcam.client import url_of
from custom_components.vitcam.messages import Message, messages_in
from custom_components.vitcam.state import CameraState

TEXT = ':\n\nretry: 1000\nevent: state\ndata: {"a": "ü"}\n\nevent: event\nid: 1\ndata: [1]\n\n:\n\n'.encode()


async def chunks(text: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(text), size):
        yield text[start : start + size]


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
async def test_messages_are_read_however_they_are_cut(size: int) -> None:
    found = [each async for each in messages_in(chunks(TEXT, size))]

    assert found == [Message("", None), Message("state", {"a": "ü"}), Message("event", [1]), Message("", None)]


@pytest.mark.parametrize("text", [b"data: {\n\n", b"data: \xff\n\n", b"x" * (5 << 20)], ids=["JSON", "UTF-8", "length"])
async def test_what_is_no_message_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        [each async for each in messages_in(chunks(text, 65536))]


@pytest.mark.parametrize("record", [{}, [], None, {"camera": {}}, {"camera": None}])
def test_what_is_no_state_is_refused(record: object) -> None:
    with pytest.raises((LookupError, TypeError, ValueError)):
        CameraState.of(record)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("kitchen.local", "http://kitchen.local:8420/"),
        (" 192.168.1.7:9000 ", "http://192.168.1.7:9000/"),
        ("[fd00::1]", "http://[fd00::1]:8420/"),
        ("https://home.example/cameras/front", "https://home.example/cameras/front/"),
        ("http://kitchen.local/#history", "http://kitchen.local/"),
    ],
)
def test_an_address_is_taken_as_people_type_it(typed: str, url: str) -> None:
    assert str(url_of(typed)) == url


@pytest.mark.parametrize("typed", ["", "ftp://x", "http://", "http://me:secret@x", "http://x:99999", "http://x:port"])
def test_what_is_no_address_is_refused(typed: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        url_of(typed)
