"""Asks the base about every photo, on all cores; what it said before is taken from the cache."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError, VitcamError
from vitcam.frames import Frame, Image, Unreadable
from vitcam.model.classifier import Classifier
from vitcam.model.out_of_distribution import contrast
from vitcam.model.spare_rows import AddedRows, read_by_rows
from vitcam.parts.teach.cache import Cache, Seen, key_of
from vitcam.parts.teach.dataset import Photo
from vitcam.parts.teach.painted import without_thing
from vitcam.parts.teach.progress import OnProgress, Progress
from vitcam.pictures.decode import Limits, checked_header, decode
from vitcam.pictures.opencv import use_one_thread
from vitcam.pictures.resize import enough_for, to_model_size
from vitcam.rects import Rect
from vitcam.sources.images import bytes_of
from vitcam.text import readable

_PROBE = "the log of the sum"
_LOGIT = 10.0  # near the usual log-sums, so that no probability is too small to be exact
_DETAIL = 4  # a photo is decoded with this many times the model's px a side at least, as one that is uploaded
_LARGE = 8_000_000
"""Of pictures with more px one is decoded at a time: two would take more memory than all the rest."""
_AT_ONCE = 64
_COPY = "\npainted out"  # behind the key of its photo


@dataclass(frozen=True, slots=True)
class Looked:
    """What the base made of photos."""

    seen: tuple[Seen | None, ...]
    """In their order; None for those that cannot be read."""
    unreadable: tuple[Unreadable, ...]


class Looker:
    """A base that is asked about photos, with an interpreter for each thread.

    base     it is changed, so use it for nothing else
    raises   UsageError if it has no room for labels that a device adds
    """

    def __init__(self, base: Classifier) -> None:
        card = base.card
        if not card.row_capacity:
            raise UsageError(
                f"{card.name} has no room for labels of your own; give another base, such as everyday, with --base"
            )
        base.take_rows(AddedRows((_PROBE,), np.zeros((1, card.row_width), np.float32), np.array([_LOGIT], np.float32)))
        base.top_k = len(base.labels)
        self._places = {label: place for place, label in enumerate(base.labels)}
        self._base, self._local, self._one = base, threading.local(), threading.Lock()
        self._limits = Limits(enough=enough_for(base.input, _DETAIL))
        self._base_is = hashlib.sha256(f"{card.graph_sha256} {asdict(card.input)}".encode()).hexdigest()

    def look(
        self, root: Path, photos: Sequence[Photo], on_progress: OnProgress, copied: Collection[int] = ()
    ) -> Looked:
        """Ask about photos below `root`, or take from the cache there what was said before.

        copied  places of the photos of which a copy is asked about, too, with the thing painted out
        """
        cache = Cache(root, self._base_is, self._base.card.row_width)
        known, found, failed = cache.load(), dict[str, Seen](), list[Unreadable]()
        seen: list[Seen | None] = [None] * len(photos)
        use_one_thread()
        try:
            for done, (place, key, answer) in enumerate(self._answers(root, photos, known, copied), 1):
                if isinstance(answer, Seen):
                    seen[place] = found[key] = answer
                    if answer.copy is not None:
                        found[key + _COPY] = answer.copy
                else:
                    failed.append(Unreadable(readable(str(photos[place].path.relative_to(root))), answer))
                on_progress(Progress("reading photos", done, len(photos)))
        finally:
            if found.keys() - known.keys():
                cache.save(known | found if None in seen else found)
        return Looked(tuple(seen), tuple(failed))

    def see(self, image: Image, digest: bytes = b"", is_copied: bool = False) -> Seen:
        """What the base makes of a picture, (H, W, 3) uint8, RGB, and of its copy where that is wanted."""
        small = to_model_size(image, self._base.input)
        seen, evidence = self._ask(small, digest)
        if not is_copied or evidence is None:
            return seen
        return replace(seen, copy=self._ask(without_thing(small, evidence), digest)[0])

    def _ask(self, small: Image, digest: bytes) -> tuple[Seen, NDArray[np.float32] | None]:
        """And the evidence. small: at the model's size."""
        if not hasattr(self._local, "classifier"):
            self._local.classifier = self._base.clone(threads=1)
        whole = Rect(0, 0, small.shape[1], small.shape[0])
        answer = self._local.classifier(Frame(small, small, whole, 0, time.monotonic_ns(), "teach"))
        read = read_by_rows(answer)
        if read is None:
            raise UsageError(f"{self._base.path} gives no embedding; give another base with --base")
        probed = next(guess.p for guess in answer.top if guess.label == _PROBE)
        best = next(guess for guess in answer.top if guess.label != _PROBE)
        others = max(1e-9, 1 - probed)
        log_sum = _LOGIT + float(np.log(others / max(probed, 1e-30)))
        likely = float(np.log(max(best.p / others, 1e-30)))
        seen = Seen(digest, read, log_sum, likely, min(contrast(small), 1e6), self._places[best.label])
        return seen, answer.evidence

    def _answers(
        self, root: Path, photos: Sequence[Photo], known: Mapping[str, Seen], copied: Collection[int]
    ) -> Iterator[tuple[int, str, Seen | str]]:
        """Place, key in the cache and answer of each photo: first what is known, then the others."""
        keys, missing = [_key(root, photo.path) for photo in photos], []
        for place, key in enumerate(keys):
            copy = known.get(key + _COPY) if place in copied else None
            if key in known and (copy is not None or place not in copied):
                yield place, key, replace(known[key], copy=copy)
            else:
                missing.append(place)
        with ThreadPoolExecutor(len(os.sched_getaffinity(0)), "look") as pool:
            for start in range(0, len(missing), _AT_ONCE):
                some = missing[start : start + _AT_ONCE]
                answers = pool.map(
                    self._look, [photos[place].path for place in some], [place in copied for place in some]
                )
                yield from ((place, keys[place], answer) for place, answer in zip(some, answers, strict=True))

    def _look(self, path: Path, is_copied: bool) -> Seen | str:
        """What the base makes of a photo, or why it cannot be read."""
        try:
            data = bytes_of(str(path))
            header = checked_header(data, self._limits)
            with self._one if header.width * header.height > _LARGE else nullcontext():
                image = decode(data, self._limits).image
            return self.see(image, hashlib.blake2b(data, digest_size=16).digest(), is_copied)
        except VitcamError as error:
            return str(error)


def _key(root: Path, path: Path) -> str:
    try:
        return key_of(root, path)
    except OSError:  # it is gone; reading it says so
        return str(path)
