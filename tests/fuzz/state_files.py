"""Files of the state folder, changed in one place: what stands in other places is read as before, and stays there."""

import json
import logging
import os
import shutil
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.outcome import Outcome, chance, damaged
from tests.state_files import STATE_FILES, Path_, Readings, StateFileKind, leaves, name_in_list
from vitcam.errors import VitcamError

_OURS = (
    "language", "names", "labels", "*", "key", "devices", "alerts", "zones", "masks", "crop", "areas", "settings",
    "reason", "model", "damage", "sentence", "store", "keep_days", "path", "id", "name", "", "unknown", "none",
)  # fmt: skip
"""What we call things, as a person or a newer version may call others."""
_ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 0.5, -0.0, 1e308, float("inf"), float("nan"), 10**400, -(10**400), 2**63, "", "x",
    "0", "de", "nl", "unknown", "Sprache", "x" * 200, "x" * 5000, "\x00", "a\nb", "\x1b[31m", "é" * 60, "../..",
    "1,2,3,4", "0,0,1,1", [], {}, [[]], [None], {"": None}, {"a": {"b": [1]}}, [0, 0, 1, 1], [1e308] * 4, ["x"] * 300,
)  # fmt: skip
_NEWER: tuple[Any, ...] = (
    {"id": "0123abcd", "label": "dog", "weekdays": ["sat"]}, {"name": "tablet", "scope": "watch"}, 5, None, "text",
    [1, 2], {"token": "x", "fingerprint": "", "kept": ""}, "0,0,0.5,0.5", {"zones": {}, "masks": []}, 4e9, {"ends": 1},
)  # fmt: skip
_DAMAGES = ("bytes", "zeros", "cut", "nothing", "nested", "a pipe", "a loop", "too large")


def run(count: int, seed: int) -> Outcome:
    """Change `count` files, each in a folder of its own."""
    outcome = Outcome("mutated state files", count=count)
    started = time.monotonic()
    logging.disable(logging.CRITICAL)  # thousands of warnings, as there should be
    try:
        _run(count, seed, outcome)
    finally:
        logging.disable(logging.NOTSET)
    outcome.seconds = time.monotonic() - started
    return outcome


def _run(count: int, seed: int, outcome: Outcome) -> None:
    with tempfile.TemporaryDirectory(prefix="vitcam-fuzz-") as room:
        whole = Path(room, "whole")
        for kind in STATE_FILES:
            (whole / kind.name).mkdir(parents=True)
            kind.make(whole / kind.name)
        for number in range(count):
            dice = chance(seed, "state file", number)
            kind = STATE_FILES[number % len(STATE_FILES)]
            folder = Path(room, "one")
            shutil.copytree(whole / kind.name, folder)
            trial = _Trial(kind, folder, dice)
            try:
                outcome.answers[trial.mutate()] += 1
                for sentence in trial.findings():
                    outcome.found(number, f"{kind.name}, {trial.what}: {sentence}")
            except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
                outcome.found(number, f"{kind.name}, {trial.what}: {type(error).__name__}: {error}")
            shutil.rmtree(folder)


class _Trial:
    """One file that is changed in one place."""

    def __init__(self, kind: StateFileKind, folder: Path, dice: Random) -> None:
        self._kind, self._folder, self._dice = kind, folder, dice
        self._path = folder / kind.name
        self._before = self._read()
        self._touched: tuple[Path_, ...] = ()
        """Where it was changed; empty: as a whole, or beside all that is read."""
        self._is_whole = False
        self.what = ""

    def mutate(self) -> str:
        """Change the file; returns the kind of change."""
        copy = self._path.with_name(f"{self._path.name}.copy")
        if self._dice.random() < 0.25:
            self._is_whole = True
            how = self._dice.choice(_DAMAGES)
            self._damage(how)
            with suppress(FileNotFoundError):
                if self._dice.random() < 0.5:  # half of them have a good copy
                    copy.write_bytes(damaged(copy.read_bytes()[: self._dice.randrange(40)], self._dice))
                    how += ", the copy too"
            self.what = how
            return how
        tree = self._kind.loads(self._path.read_text())
        how = self._change(tree)
        try:
            text = self._kind.dumps(tree)
        except (TypeError, ValueError):  # TOML has no null and no number of 400 digits
            tree = self._kind.loads(self._path.read_text())
            tree["newer"] = "value"
            text, how, self._touched = self._kind.dumps(tree), "another key", ()
        self._path.write_text(text)
        if self._dice.random() < 0.5 and copy.exists():
            copy.write_text(text)
        return how

    def _damage(self, how: str) -> None:
        data, path = self._path.read_bytes(), self._path
        made = {
            "zeros": b"\0" * len(data),
            "cut": data[: self._dice.randrange(len(data))],
            "nothing": b"",
            "nested": b"[" * 100_000,
            "too large": b" " * 9_000_000 + data,
        }
        if how == "a pipe":
            path.unlink()
            os.mkfifo(path)
        elif how == "a loop":
            path.unlink()
            path.symlink_to(path)
        else:
            path.write_bytes(made[how] if how in made else damaged(data, self._dice))

    def _change(self, tree: Any) -> str:
        """Change one place of a tree."""
        holder, where = tree, Path_()
        while isinstance(holder, (dict, list)) and holder and self._dice.random() < 0.75:
            key = self._dice.choice([*holder] if isinstance(holder, dict) else range(len(holder)))
            named = key if isinstance(key, str) else name_in_list(holder[key])
            if not isinstance(holder[key], (dict, list)) or not holder[key]:
                break
            holder, where = holder[key], (*where, named)
        how = self._dice.choice(("a value", "a value", "another key", "another entry", "a key", "an entry twice"))
        odd = json.loads(json.dumps(self._dice.choice(_ODD if how == "a value" else _NEWER + _ODD)))
        keys: list[Any] = [*holder] if isinstance(holder, dict) else [*range(len(holder))]
        if isinstance(holder, list):
            at = self._dice.choice(keys) if keys else 0
            if how == "a value" and keys:
                self._touched = ((*where, name_in_list(holder[at])),)
                holder[at] = odd
            elif how == "an entry twice" and keys:
                holder.append(json.loads(json.dumps(holder[at])))
                self._touched = (where,) if name_in_list(holder[at]) == "#" else ()
            else:
                how = "another entry"
                holder.insert(self._dice.randrange(len(holder) + 1), odd)
                self._touched = (where,) if self._is_value(holder) else ((*where, name_in_list(odd)),)
        elif how == "a value" and keys:
            at = self._dice.choice(keys)
            self._touched = ((*where, at),)
            holder[at] = odd
        elif how == "a key" and keys:
            at, new = self._dice.choice(keys), self._dice.choice(_OURS)
            self._touched = ((*where, at), (*where, new))
            holder[new] = holder.pop(at)
        else:
            new = self._dice.choice((*_OURS, "newer", "rtsp://a/", "0a"))
            self._touched = ((*where, new),)
            holder[new] = odd
            how = "another key"
        self.what = f"{how} at {self._touched}"
        return how

    def _is_value(self, holder: list[Any]) -> bool:
        """Whether a list is one value, such as a rectangle, and not one of entries."""
        return not any(isinstance(each, dict) for each in holder)

    def findings(self) -> list[str]:
        """What is not as it must be, as sentences."""
        found = []
        text = self._bytes()
        content = self._tree()
        read = self._read()
        if not self._is_whole and content is not None:
            lost = {w: v for w, v in self._before.items() if read.get(w) != v and not self._may_change(w)}
            if lost and not self._is_aside(text):
                found.append(f"it reads {lost} as {[read.get(each) for each in lost]}")
        found += self._protects()
        kept, refused = self._bytes(), self._try_to_change()
        if refused:
            if self._bytes() != kept and not self._is_aside(text):
                found.append(f"it refuses ({refused}) and changes the file")
        elif content is not None and not self._is_whole:
            there = Counter(leaves(self._tree()))
            gone = (where for where, _ in Counter(leaves(content)) - there)
            lost_leaves = [where for where in gone if not self._is_over(where) and not self._has_ended(content, where)]
            if lost_leaves and not self._is_aside(text):
                found.append(f"a change loses {lost_leaves[:4]}")
        elif text and content is None and self._bytes() != text and not self._is_aside(text):
            found.append("what could not be read is gone")
        self._read()
        return found + self._protects()

    def _has_ended(self, content: Any, where: Path_) -> bool:
        """Whether it is a session that is over, or lasts longer than any does."""
        return self._kind.name == "sessions.json" and len(where) == 1 and isinstance(content[where[0]], (int, float))

    def _try_to_change(self) -> str:
        try:
            return str(self._kind.change(self._folder) or "")
        except VitcamError as error:
            return str(error)

    def _protects(self) -> list[str]:
        """In the settings: events are kept for ever, as it says there, or nobody knows; but never by the default."""
        if self._kind.name != "settings.toml":
            return []
        tree, found = self._tree(), self._read().get(("store", "keep_days"))
        store = tree.get("store") if isinstance(tree, dict) else None
        said = store.get("keep_days") if isinstance(store, dict) else None
        is_said = isinstance(said, (int, float)) and not isinstance(said, bool) and 0 <= said <= 36500
        is_silent = isinstance(tree, dict) and (store is None or isinstance(store, dict)) and said is None
        if found in (said if is_said else 0, "no event goes") or is_silent:
            return []
        return [f"events go after {found} days, and the file says {said!r}"]

    def _bytes(self) -> bytes:
        return self._path.read_bytes() if self._path.is_file() else b""

    def _tree(self) -> Any:
        if not self._path.is_file():  # a pipe would be waited for
            return None
        try:
            return self._kind.loads(self._path.read_text())
        except (OSError, ValueError, RecursionError):
            return None

    def _is_aside(self, text: bytes) -> bool:
        """Whether the file was set aside as it was, since its copy is whole or nothing of it can be read."""
        aside = self._path.with_name(f"{self._path.name}.damaged")
        return aside.is_file() and aside.read_bytes() == text

    def _may_change(self, where: Path_) -> bool:
        beside = {("store", "max_mb"): ("store", "keep_days")}  # no event goes for its age where it cannot be read
        touched = (*self._touched, *(beside[each] for each in self._touched if each in beside))
        return any(where[: len(each)] == each or each[: len(where)] == where for each in touched)

    def _is_over(self, where: Path_) -> bool:
        """Whether a change may write over it: it is what changes, or stands in its way, or is what vitcam calls it."""
        paths = [*self._kind.changed, *(("alerts", id_, "name") for id_ in ("00000002", "00000003"))]
        paths += [each for each in self._touched if any(path[: len(each)] == each for path in self._kind.changed)]
        return any(where[: len(each)] == each or each[: len(where)] == where for each in paths)

    def _read(self) -> Readings:
        try:
            return self._kind.read(self._folder)
        except VitcamError as error:
            if len(str(error)) > 1000:
                raise AssertionError(f"a sentence of {len(str(error))} characters") from error
            return {("refused",): True}
