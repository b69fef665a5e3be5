"""Bundles of `vitcam replay` with wrong bytes, JSON and pictures: each is taken, or refused in one sentence."""

import json
import subprocess
import sys
import tempfile
import time
import zipfile
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.outcome import Outcome, chance, damaged
from vitcam.errors import VitcamError
from vitcam.model.classifier import Classifier
from vitcam.parts.replay.agreement import judge
from vitcam.parts.replay.bundle import read_bundle, write_bundle
from vitcam.parts.replay.stored_picture import StoredPicture, checked_picture
from vitcam.pictures.decode import decode_image
from vitcam.pictures.decoder.process import DecodeProcess
from vitcam.pictures.encode import encode_jpeg
from vitcam.rects import Rect

_COMMAND_EVERY = 60
_TIMEOUT_S = 60
_MOST_LETTERS = 1000
_JUNK: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63), 10**400, 0.5, 1e308, -1e308, float("nan"), float("inf"),
    "", "x",
    "\ud800", "\x1b[31m", "a\nb", "é" * 5000, "../../x", [], {}, [[]], [[0]], [[1e300]], [[float("nan")]], [["x"]],
    [{}],
    {"a": 1}, [0, 0, 0, 0], [-1, -1, 5, 5], [0, 0, 10**9, 10**9], [0.5, 0.5, 1.5, 1.5], [["cup", 2.0]], [["cup"]],
    [["cup", None]], [["cup", 0.5]] * 3000, [[0.0] * 50] * 50, [[0.0], [0.0, 1.0]],
)  # fmt: skip
_WRITTEN = (b"", b"{", b"[]", b"null", b"1", b'"text"', b"[" * 100_000, b'{"a":' * 50_000, b"\xff\xfe", b"9" * 10_000)


def run(count: int, seed: int) -> Outcome:
    """Read `count` bundles in this process and replay what they hold; some by the command that a user would give."""
    outcome = Outcome("mutated bundles", count=count)
    started = time.monotonic()
    classifier, decode = Classifier(), DecodeProcess()
    with tempfile.TemporaryDirectory(prefix="vitcam-fuzz-") as folder:
        whole, path = Path(folder, "whole.zip"), Path(folder, "event.zip")
        write_bundle(whole, _stored(classifier), {"event": {}})
        for number in range(count):
            path.write_bytes(_mutated(whole, chance(seed, "bundle", number)))
            try:
                outcome.answers[_replayed(path, classifier, decode)] += 1
            except VitcamError as refused:
                outcome.answers["refused"] += 1
                said = str(refused)
                if not said or len(said) > _MOST_LETTERS or "\n" in said:
                    outcome.found(number, f"a sentence that is none, or too long: {said[:300]!r}")
            except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
                outcome.found(number, f"{type(error).__name__}: {error}")
            if number % _COMMAND_EVERY == 0:
                _command(path, number, outcome)
    decode.close()
    outcome.seconds = time.monotonic() - started
    return outcome


def _replayed(path: Path, classifier: Classifier, decode: DecodeProcess) -> str:
    stored = read_bundle(path)
    picture = checked_picture(stored, decode(stored.jpeg).image)
    found = classifier.with_top_k(len(stored.top)).classify_part(picture, stored.crop, "replay")
    return judge(stored, picture, found).match


def _command(path: Path, number: int, outcome: Outcome) -> None:
    command = [sys.executable, "-P", "-m", "vitcam", "replay", str(path), "--overlay", str(path.with_suffix(".png"))]
    child = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_S, check=False)
    said = (child.stdout + child.stderr).decode(errors="replace")
    if child.returncode not in (0, 1, 2) or "Traceback" in said or "unexpectedly" in said or "\x1b[31m" in said:
        outcome.found(number, f"`vitcam replay` ended with {child.returncode}: {said[-600:]}")
    outcome.answers[f"exit code {child.returncode}"] += 1


def _stored(classifier: Classifier) -> StoredPicture:
    """An event as the history would have it, of a golden picture."""
    image = classifier.golden[0].image
    height, width = image.shape[:2]
    jpeg, crop = encode_jpeg(image, 90), Rect(0, 0, width, height)
    found = classifier.classify_part(decode_image(jpeg), crop, "demo")
    card, start = classifier.card, "2026-01-02T03:04:05.678Z"
    fingerprint, event_id = card.graph_sha256, "01JM0000000000000000000000"
    return StoredPicture(
        event_id, found.top[0].label, start, card.name, fingerprint, found.top, crop, found.evidence, jpeg
    )


def _mutated(whole: Path, dice: Random) -> bytes:
    """The archive with wrong bytes, or another one whose members are wrong, missing or strangely packed."""
    if dice.random() < 0.3:
        return damaged(whole.read_bytes(), dice, 12)
    with zipfile.ZipFile(whole) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    match dice.randrange(8):
        case 0:
            members["frame.jpg"] = damaged(members["frame.jpg"], dice, 8)
        case 1:
            members["replay.json"] = damaged(members["replay.json"], dice, 8)
        case 2:
            members["replay.json"] = dice.choice(_WRITTEN)
        case 3:
            members.pop(dice.choice(("frame.jpg", "replay.json")))
        case _:
            members["replay.json"] = _changed(json.loads(members["replay.json"]), dice)
    return _packed(whole.with_name("other.zip"), members, dice)


def _changed(described: dict[str, Any], dice: Random) -> bytes:
    for _ in range(dice.randint(1, 3)):
        name = dice.choice((*described, "other"))
        inner = described.get(name)
        if isinstance(inner, list) and inner and dice.random() < 0.5:
            inner[dice.randrange(len(inner))] = deepcopy(dice.choice(_JUNK))
        elif dice.random() < 0.2:
            described.pop(name, None)
        else:
            described[name] = deepcopy(dice.choice(_JUNK))
    return json.dumps(described).encode(errors="surrogatepass")


def _packed(path: Path, members: dict[str, bytes], dice: Random) -> bytes:
    kinds = (zipfile.ZIP_DEFLATED,) * 4 + (zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    with zipfile.ZipFile(path, "w", dice.choice(kinds)) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    data = path.read_bytes()
    return damaged(data, dice, 3) if dice.random() < 0.3 else data
