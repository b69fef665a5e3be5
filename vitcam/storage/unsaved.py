"""Changes that are in force and that the disk did not take. They are saved once it does."""

import errno
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

from vitcam.sentence import Sentence

_AGAIN_S = 3.0


class NotWritten(Sentence):
    """Why a file could not be written. It may be possible later, unlike what other reasons say."""

    __slots__ = ()

    @classmethod
    def of(cls, path: Path, error: OSError) -> Self:
        """One sentence."""
        text = f"{path} cannot be written: {error.strerror}"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return cls(text, "disk.no_room", file=path.name)
        return cls(text, "disk.not_written", file=path.name, why=error.strerror or "")


class Unsaved:
    """Saves what was changed, and tries again where the disk was full or read-only. Any thread may call it.

    Each change is named by what it changes, such as `names`: a newer one takes the place of one that waits.
    """

    def __init__(self) -> None:
        self.reasons: Mapping[str, str] = {}
        """Why each change that waits could not be saved so far. It is replaced as a whole."""
        self._waiting: dict[str, Callable[[], str]] = {}
        self._saving = threading.RLock()
        self._due_s = 0.0

    def keep(self, what: str, save: Callable[[], str]) -> str:
        """Save a change; returns why the next start will not have it, "" if it will.

        save  writes it, perhaps several times; returns why it is not kept: a `NotWritten` where it may be later
        """
        with self._saving:
            reason = save()
            self._waiting.pop(what, None)
            if isinstance(reason, NotWritten):
                self._waiting[what] = save
                self._due_s = time.monotonic() + _AGAIN_S
            self.reasons = {each: why for each, why in self.reasons.items() if each != what} | (
                {what: reason} if isinstance(reason, NotWritten) else {}
            )
            return reason

    def try_again(self, at_once: bool = False) -> None:
        """Save what waits, if the last attempt was a few seconds ago, or `at_once`. To be called regularly."""
        if not self._waiting or (time.monotonic() < self._due_s and not at_once):
            return
        with self._saving:
            for what, save in [*self._waiting.items()]:
                self.keep(what, save)
