import json
import struct

import numpy as np
import pytest

from tests.parts.teach.inbox.entries import JPEG, entry
from vitcam.errors import UsageError
from vitcam.frames import Guess
from vitcam.parts.teach.inbox.entry import HEAD, checked_id, id_of_event, pack_entry, picture_in, read_entry
from vitcam.pictures.decode import decode_image


def test_what_is_known_of_a_picture_stands_in_its_file_and_the_picture_is_the_same_to_the_byte() -> None:
    said = entry(3, 0.75, zone="door", label="Mia", why="corrected", top=(Guess('a "cup" é', 0.4321),))
    data = pack_entry(said, JPEG)
    found = read_entry(said.id, data[:HEAD], len(data))

    assert picture_in(data) == JPEG
    assert decode_image(data).shape == (40, 60, 3), "every program can show the file"
    for name in ("id", "why", "taken_ms", "doubt", "top", "model", "zone", "label", "space"):
        assert getattr(found, name) == getattr(said, name)
    assert found.size == len(data)
    assert found.embedding is not None
    assert said.embedding is not None
    assert np.allclose(found.embedding, said.embedding, atol=1e-3)


def test_without_an_embedding_there_is_none() -> None:
    data = pack_entry(entry(0, embedding=None), JPEG)

    assert read_entry("inbox-1", data, len(data)).embedding is None


def forged(**changes: object) -> bytes:
    record = {
        "why": "unsure", "taken_ms": 5, "doubt": 0.5, "top": [["cup", 0.5]], "model": "m", "zone": None, "label": None,
        "space": "",
    }  # fmt: skip
    comment = json.dumps(record | changes).encode()
    return b"\xff\xd8\xff\xfe" + struct.pack(">H", len(comment) + 2) + comment + JPEG[2:]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        JPEG,
        b"\xff\xd8\xff\xfe\xff\xff{}",
        b"\xff\xd8\xff\xfe\x00\x02",
        b"\xff\xd8\xff\xfe\x00\x04[]" + JPEG,
        b"\xff\xd8\xff\xfe\x00\x06null" + JPEG,
        forged(why="bored"),
        forged(taken_ms=-1),
        forged(taken_ms=10**30),
        forged(taken_ms=True),
        forged(doubt=float("nan")),
        forged(doubt=7),
        forged(top=[["cup"]]),
        forged(top=[["cup", 10**400]]),
        forged(top=[["\x1b[2J", 0.5]]),
        forged(top=[["x" * 1000, 0.5]]),
        forged(top=7),
        forged(label=["cup"]),
        forged(embedding=7),
        forged(embedding="no base 64"),
        forged(embedding="AAAA"),
        forged(embedding="AAAA" * 10_000),
    ],
)
def test_a_file_that_somebody_forged_is_not_believed(data: bytes) -> None:
    with pytest.raises((ValueError, TypeError, LookupError)):
        read_entry("inbox-1", data[:HEAD], len(data))


def test_an_embedding_without_a_length_counts_as_none() -> None:
    assert read_entry("inbox-1", forged(embedding="AAA="), 5).embedding is None
    assert read_entry("inbox-1", forged(embedding="AHwAfA=="), 5).embedding is None, "infinity"


def test_what_would_not_fit_into_a_comment_is_refused() -> None:
    with pytest.raises(UsageError):
        pack_entry(entry(0, embedding=np.ones(40_000, np.float32)), JPEG)
    with pytest.raises(UsageError):
        pack_entry(entry(0), b"GIF89a")


@pytest.mark.parametrize("text", ["", "inbox-", "inbox-../x", "inbox-a/b", "x", ".inbox-a", "inbox-a\n", "inbox-é"])
def test_an_id_that_leads_elsewhere_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        checked_id(text)
    if not text.startswith("inbox-"):
        return
    with pytest.raises(UsageError):
        id_of_event(text.removeprefix("inbox-"))
