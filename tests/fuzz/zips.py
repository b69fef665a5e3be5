"""Zips of photos as people and programs make them, and damaged ones, sent to a daemon.

Each file in a zip gets a record. A photo is kept under the label that its maker meant, or is left out with a sentence.
"""

import http.client
import io
import json
import random
import struct
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.daemon import Daemon, daemon
from tests.fuzz.outcome import Outcome, chance, damaged
from tests.http_camera import jpeg

_TIMEOUT_S = 20.0
_NAME, _OF_A_SET = "fuzzed", 250
_LABELS = ("cat", "dog", "Tür", "猫", "собака", "my cup", "été", "犬", "рак", "0", "train")
_DATES = ("2024-05", "2024-06", "2024", "20240531", "100CANON", "31.05.2024")
_BETWEEN = ("kitchen", "garden", "more")
_CODE_PAGES = {"Tür": "cp850", "été": "cp437", "собака": "cp866", "рак": "cp866", "猫": "shift_jis", "犬": "shift_jis"}
_OF_SYSTEMS = (".DS_Store", "__MACOSX/cat/._1.jpg", "cat/Thumbs.db", "cat/.hidden/2.jpg", "empty/")
_OUTSIDE = ("../../../tmp/x.jpg", "/etc/cat/x.jpg", "..\\..\\cat\\x.jpg", "cat/../../dog/x.jpg", "C:\\cat\\x.jpg")


@dataclass
class Made:
    """A zip, and what is known of it."""

    kind: str
    data: bytes
    meant: set[str] = field(default_factory=set)
    """The labels that its photos may have."""


def run(count: int, first_seed: int) -> Outcome:
    """Send that many zips."""
    outcome = Outcome("zips of photos")
    demo = ("--source", "demo", "--loop", "--fps", "1", "--threads", "1")
    with tempfile.TemporaryDirectory() as folder, daemon(*demo, STATE_DIRECTORY=folder) as running:
        running.wait_for("ok")
        started = time.monotonic()
        for index in range(count):
            dice = chance(first_seed, "zip", index)
            _send(running, dice.choice(_KINDS)(dice), index, outcome)
            outcome.count += 1
        outcome.seconds = time.monotonic() - started
        _judge(running, Path(folder), outcome)
    return outcome


def _zipped(names: list[str], dice: random.Random, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as made:
        for name in names:
            made.writestr(name, jpeg(dice.randrange(256)) + dice.randbytes(8))
    return file.getvalue()


def _tree(dice: random.Random) -> Made:
    """Labels, in what lies around them, with dates below them, and what systems add."""
    labels = dice.sample(_LABELS[:-1], dice.randint(2, 4))
    around = dice.choice(("", "photos/", "my pets/photos/"))
    splits = dice.choice(([""], [""], ["train/", "valid/"], ["train/", "val/", "test/"]))
    names = [
        f"{around}{split}{label}/{dice.choice(('', '', f'{dice.choice(_DATES)}/'))}{number}.jpg"
        for split in splits
        for label in labels
        for number in range(dice.randint(1, 2))
    ]
    names += dice.sample(_OF_SYSTEMS, dice.randint(0, 3))
    dice.shuffle(names)
    return Made("trees", _zipped(names, dice), {*labels})


def _deep(dice: random.Random) -> Made:
    """Folders within labels that may be labels themselves: left out, or of the outer one."""
    labels = dice.sample(_LABELS[:-1], 2)
    names = [f"{label}/{inner}/1.jpg" for label in labels for inner in dice.sample(_BETWEEN, 2)]
    names += [f"{label}/2.jpg" for label in labels]
    return Made("deeper folders", _zipped(names, dice), {*labels})


def _code_page(dice: random.Random) -> Made:
    """Names in a code page that the zip does not name."""
    label = dice.choice(list(_CODE_PAGES))
    raw = label.encode(_CODE_PAGES[label])
    mark = b"@" * len(raw)
    data = _zipped([f"{mark.decode()}/1.jpg", f"{mark.decode()}/2.jpg", "cup/3.jpg"], dice).replace(mark, raw)
    return Made("code pages", data.replace(b"PK\1\2\x14\x03", b"PK\1\2\x14\0"), {label, "cup"})


def _outside(dice: random.Random) -> Made:
    names = [*dice.sample(_OUTSIDE, dice.randint(1, 3)), "cat/1.jpg", "dog/2.jpg"]
    return Made("ways out", _zipped(names, dice), {"cat", "dog"})


def _odd_name(dice: random.Random) -> Made:
    odd = dice.choice(("\U00010400" * 64, "n" * 300, "a\x1b[2J", "unknown", "\u202e", " ", "."))
    return Made("odd names", _zipped([f"{odd}/1.jpg", "cat/2.jpg", f"dog/{odd}.jpg"], dice), {"cat", "dog", odd})


def _changed_entry(dice: random.Random) -> Made:
    """One field of one entry says something else: flags, method, sizes, name length, place."""
    data = bytearray(_zipped(["cat/1.jpg", "dog/2.jpg"], dice))
    entry = data.find(b"PK\1\2")
    at, size = dice.choice(((8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (38, 4), (42, 4)))
    data[entry + at : entry + at + size] = struct.pack("<Q", dice.getrandbits(8 * size))[:size]
    return Made("changed entries", bytes(data))


def _damaged(dice: random.Random) -> Made:
    return Made("damaged bytes", damaged(_tree(dice).data, dice))


def _cut(dice: random.Random) -> Made:
    data = _tree(dice).data
    return Made("cut off", data[: dice.randrange(len(data))])


def _no_photos(dice: random.Random) -> Made:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", dice.choice((zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))) as made:
        for label in ("cat", "dog"):
            made.writestr(f"{label}/1.jpg", dice.choice((b"", b"text", dice.randbytes(500), jpeg()[:-40])))
    return Made("other files", file.getvalue())


_KINDS: tuple[Callable[[random.Random], Made], ...] = (
    *(_tree, _tree, _deep, _code_page, _outside, _odd_name, _changed_entry, _damaged, _damaged, _cut, _no_photos),
)


def _send(running: Daemon, made: Made, index: int, outcome: Outcome) -> None:
    began_s = time.monotonic()
    connection = http.client.HTTPConnection(running.url.removeprefix("http://"), timeout=_TIMEOUT_S)
    try:
        connection.request(
            "POST", f"/api/datasets/{_NAME}{index // _OF_A_SET}", made.data, {"Content-Type": "application/zip"}
        )
        answer = connection.getresponse()
        text = answer.read().decode()
    except (OSError, http.client.HTTPException) as error:
        outcome.found(index, f"{made.kind}: no answer: {error!r}")
        return
    finally:
        connection.close()
    outcome.answers[f"{made.kind} {answer.status}"] += 1
    if answer.status >= 500:
        outcome.found(index, f"{made.kind}: {answer.status} {text[:200]}")
    elif answer.status == 200:
        _check(made, index, [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")], outcome)
    if (took_s := time.monotonic() - began_s) > _TIMEOUT_S:
        outcome.found(index, f"{made.kind}: it took {took_s:.0f} s")


def _check(made: Made, index: int, records: list[dict[str, object]], outcome: Outcome) -> None:
    photos = [record for record in records if record["type"] == "photo"]
    report = next((record for record in records if record["type"] == "report"), None)
    if report is None or len(photos) != photos[0]["total"]:
        outcome.found(index, f"{made.kind}: not every file has a record: {records[-1]}")
        return
    left_out = sum(1 for photo in photos if not photo["picture"])
    labels = report["labels"]
    assert isinstance(labels, dict)
    if sum(labels.values()) + left_out != len(photos) or report["left_out"] != left_out:
        outcome.found(index, f"{made.kind}: the report does not count every file: {report}")
    if unsaid := [photo for photo in photos if not photo["picture"] and not photo["note"]]:
        outcome.found(index, f"{made.kind}: left out without a word: {unsaid[0]}")
    if made.meant and (wrong := labels.keys() - made.meant):
        outcome.found(index, f"{made.kind}: labels that nobody meant: {wrong}")
    if garbled := [photo["path"] for photo in photos if not str(photo["path"]).isprintable()]:
        outcome.found(index, f"{made.kind}: a name that cannot be printed: {garbled[0]!a}")


def _judge(running: Daemon, folder: Path, outcome: Outcome) -> None:
    """Nothing lies anywhere but as LABEL/picture.jpg, and the log has no traceback."""
    for path in (folder / "datasets").rglob("*"):
        inner = path.relative_to(folder / "datasets").parts
        if path.is_file() and (len(inner) != 3 or not inner[0].startswith(_NAME) or path.suffix != ".jpg"):
            outcome.found(-1, f"a file at {path}")
    if "Traceback" in (said := running.errors()):
        outcome.found(-1, f"a traceback: {said[said.index('Traceback') - 300 :][:1500]}")
