"""Puts frames of which the model is unsure, or has no word for, into the inbox."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from vitcam.errors import VitcamError
from vitcam.frames import NO_MODEL, Event, Frame, Image, ModelIdentity, Place, Prediction
from vitcam.parts.teach import THREADS
from vitcam.parts.teach.datasets.collector import QUALITY, kept_part
from vitcam.parts.teach.datasets.followed import FollowedThings
from vitcam.parts.teach.datasets.store import MINE
from vitcam.parts.teach.inbox.answers import InboxAnswers
from vitcam.parts.teach.inbox.entry import InboxEntry, Why, id_of_event
from vitcam.parts.teach.inbox.store import InboxLimits
from vitcam.parts.teach.settings import InboxSettings
from vitcam.pictures.encode import encode_jpeg
from vitcam.run.kinds import Configured, Learns, Runs, Sees
from vitcam.run.underway import Underway, Way
from vitcam.threads.worker import Worker

if TYPE_CHECKING:
    from vitcam.config.settings import Settings
    from vitcam.history.stored import StoredEvent
    from vitcam.run.ending import Ending

log = logging.getLogger(__name__)

SURE = 0.3
"""From this margin on between what is displayed and what else it may be, nobody has to be asked."""
_ALIKE = 0.95  # cosine of two embeddings
_LASTS_NS = 600_000_000  # for so long a place is looked at with doubt: what comes and goes is blurred
_GAP_NS = 60_000_000_000  # of a longer time without a look at a place nobody knows what was there
_LOOK_NS = 200_000_000  # from one comparison to the next
_AT_ONCE = 30  # pictures that may come one after the other
_ANOTHER_NS = 300_000_000_000  # so long it takes until one more may come: the disk of a Pi is a card
_WAIT_S = 0.25
_AGAIN_S = 60.0  # after a write that failed


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    """A frame that may be kept."""

    entry: InboxEntry
    part: Image


class InboxKeeper(Runs, Sees, Configured, Learns):
    """Chooses pictures of which the model is unsure. A thread of its own encodes and writes; one frame waits at most.

    answers  of those who name the pictures
    space   says which embeddings can be compared with those of the model in use
    forget  says of which predictions nothing may be kept
    ask     what the model in use says of a JPEG that waits; None: what another model said of it stands
    dataset  says which data set the model in use is taught with
    """

    def __init__(
        self,
        answers: InboxAnswers,
        space: Callable[[], str],
        forget: Callable[[Prediction], bool] = lambda _: False,
        ask: Callable[[bytes], Prediction] | None = None,
        dataset: Callable[[], str] = lambda: MINE,
    ) -> None:
        self.answers, self.inbox = answers, answers.inbox
        self._space, self._forget, self._ask, self._dataset = space, forget, ask, dataset
        self._model = NO_MODEL
        """The one that answered last."""
        self._asked_model = NO_MODEL
        """The one that was asked about all that waits."""
        self._unanswered = set[tuple[str, ModelIdentity]]()
        """Ids of pictures about which a model could not be asked, such as a damaged one."""
        self._changed = threading.Condition()
        self._waiting: _Chosen | None = None
        self._closed = False
        self._limits_are_new = True
        self.underway = Underway("a picture is still being put into the inbox")
        self._followed = FollowedThings()
        self._doubted: dict[Place, tuple[int, int]] = {}
        """Since when each place was looked at with doubt alone, and when it was last, in ns."""
        self._looked_ns = self._credit_ns = -(2**62)
        self._credit = _AT_ONCE
        self._pause_until_s = 0.0
        self.worker = Worker("inbox", self._work, THREADS["inbox"])

    @property
    def workers(self) -> tuple[Worker, ...]:
        return (self.worker,)

    def start(self) -> None:
        """Nothing: it begins with the first prediction."""

    def stop(self, ending: "Ending") -> None:
        """Nothing: `close` has ended it."""

    def apply(self, new: "Settings") -> None:
        self.inbox.limits = InboxLimits(new[InboxSettings].pictures, new[InboxSettings].max_mb)
        self._limits_are_new = True
        self.worker.start()

    def saw(self, frame: Frame, prediction: Prediction, events: tuple[Event, ...]) -> None:
        """One frame was classified."""
        if prediction.model is not self._model:
            self._model = prediction.model
            self.worker.start()
        if not self._followed.is_shown(prediction):
            return
        why, doubt = doubt_of(prediction)
        if why is None:
            self._doubted.pop(prediction.place, None)
            return
        if not self._lasts(prediction):
            return
        now_ns = prediction.captured_ns
        if self._closed or self._waiting is not None or not 0 <= now_ns - self._looked_ns >= _LOOK_NS:
            self._looked_ns = min(self._looked_ns, now_ns)  # a clock that was set back holds nothing up
            return
        self._looked_ns = now_ns
        if not self._may_keep(now_ns) or self._forget(prediction):
            return
        space = self._space()
        looks = prediction.embedding
        if looks is not None and self.inbox.nearest(looks, space) >= _ALIKE:
            return
        taken_ms = time.time_ns() // 1_000_000
        entry = InboxEntry(
            id=_id_at(taken_ms), why=why, taken_ms=taken_ms, doubt=doubt, top=prediction.top,
            model=prediction.model.name, zone=prediction.zone, space=space,
            embedding=None if looks is None else looks.copy(),
        )  # fmt: skip
        self._credit -= 1
        with self._changed:
            self._waiting = _Chosen(entry, kept_part(frame, prediction))
            self._changed.notify_all()
        self.worker.start()

    def drop_pixels(self) -> None:
        """Masks were drawn: what waits was taken without them."""
        with self._changed:
            self._waiting = None
            self.underway.expire()
        self.answers.drop_pixels()

    def close(self, events: tuple[Event, ...]) -> None:
        """Nothing more will come."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def corrected(self, event: "StoredEvent", picture: bytes | None) -> None:
        """The picture is taught with the model's other ones; what cannot be kept is a correction all the same."""
        try:
            if not event.corrected:
                self.answers.uncorrect(id_of_event(event.id))
            elif picture:
                entry = InboxEntry(
                    id=id_of_event(event.id), why="corrected", taken_ms=event.start_ms, doubt=1.0,
                    top=event.summary.top, model=event.model, zone=event.zone, label=event.corrected,
                )  # fmt: skip
                self.answers.correct(entry, self._dataset(), picture)
        except VitcamError as error:
            log.warning("the picture of a corrected event is not kept for teaching: %s", error)

    def _lasts(self, prediction: Prediction) -> bool:
        """Whether its place was looked at with doubt for some time."""
        now_ns, place = prediction.captured_ns, prediction.place
        since_ns, last_ns = self._doubted.get(place, (now_ns, now_ns))
        if not 0 <= now_ns - last_ns <= _GAP_NS:
            since_ns = now_ns
        self._doubted = {each: seen for each, seen in self._doubted.items() if 0 <= now_ns - seen[1] <= _GAP_NS}
        self._doubted[place] = since_ns, now_ns
        return now_ns - since_ns >= _LASTS_NS

    def _may_keep(self, now_ns: int) -> bool:
        """Whether the disk has rested for long enough."""
        if not self._credit_ns <= now_ns:
            self._credit_ns = now_ns
        more = min(_AT_ONCE - self._credit, (now_ns - self._credit_ns) // _ANOTHER_NS)
        self._credit += more
        self._credit_ns = now_ns if self._credit == _AT_ONCE else self._credit_ns + more * _ANOTHER_NS
        return self._credit > 0 and time.monotonic() >= self._pause_until_s

    def _work(self) -> None:
        while not self._closed or self._waiting is not None:
            self.worker.beat()
            with self._changed:
                self._changed.wait_for(lambda: self._waiting is not None or self._closed, _WAIT_S)
                chosen = self._waiting
                way = self.underway.begin() if chosen else None
            if chosen is None or way is None:
                self._keep_within_limits()
                self._ask_again()
                continue
            try:
                with way:
                    self._keep(chosen, way)
            finally:
                with self._changed:
                    if self._waiting is chosen:
                        self._waiting = None

    def _keep_within_limits(self) -> None:
        if self._limits_are_new and time.monotonic() >= self._pause_until_s:
            self._limits_are_new = False
            try:
                self.inbox.keep_within_limits()
            except VitcamError as error:
                self._limits_are_new = True
                self._rest("the inbox has more pictures than it may have: %s", error)
            else:
                self.inbox.trouble = ""

    def _rest(self, said: str, error: VitcamError) -> None:
        """The disk failed. It is logged once, and tried again in a minute."""
        if self.inbox.trouble != str(error):
            log.warning(said, error)
        self.inbox.trouble, self._pause_until_s = str(error), time.monotonic() + _AGAIN_S

    def _ask_again(self) -> None:
        """Another model is in use: it is asked about one of the pictures that it was not asked about."""
        model, ask = self._model, self._ask
        if ask is None or model is self._asked_model:
            return
        try:
            waiting = self.inbox.entries()
        except VitcamError as error:
            log.warning("the pictures of the inbox are not asked about again: %s", error)
            waiting = []
        left = (each for each in waiting if each.model != model.name and (each.id, model) not in self._unanswered)
        if (entry := next(left, None)) is None:
            self._asked_model = model
            self._unanswered.clear()
            return
        try:
            jpeg = self.inbox.picture(entry.id)
            said = ask(jpeg)
            _, doubt = doubt_of(said) if entry.why != "corrected" else (None, entry.doubt)
            looks = entry.embedding if said.embedding is None else said.embedding
            self.inbox.replace(
                replace(entry, top=said.top, doubt=doubt, model=model.name, space=self._space(), embedding=looks), jpeg
            )
        except VitcamError as error:
            log.warning("the picture %s of the inbox is not asked about again: %s", entry.id, error)
            self._unanswered.add((entry.id, model))

    def _keep(self, chosen: _Chosen, way: Way) -> None:
        entry = chosen.entry
        try:
            self.inbox.refresh()
            if entry.embedding is not None and self.inbox.nearest(entry.embedding, entry.space) >= _ALIKE:
                return
            self.inbox.add(entry, encode_jpeg(chosen.part, QUALITY))
            if way.expired:
                self.inbox.remove([entry.id])
        except VitcamError as error:
            self._rest("no pictures are put into the inbox now: %s", error)
        else:
            self.inbox.trouble = ""


def doubt_of(prediction: Prediction) -> tuple[Why | None, float]:
    """Why a person should be asked what a picture shows, and how unsure the model is, 0 to 1; None: it is not."""
    if prediction.blank:
        return None, 0.0
    if prediction.unfamiliar:
        return "unknown", min(1.0, max(0.0, prediction.strangeness))
    shown, top = prediction.shown, prediction.top
    other = 1.0 - shown.p if shown.level == "group" else top[1].p if len(top) > 1 else 0.0
    margin = max(0.0, shown.p - other)
    if shown.level != "none" and margin >= SURE:
        return None, 0.0
    return "unsure", 1.0 - margin


def _id_at(taken_ms: int) -> str:
    """Pictures of ten minutes are one recording, as the names of pictures tell it."""
    at = datetime.fromtimestamp(taken_ms / 1000).astimezone()
    slot = at.strftime("%Y%m%dT%H%M")[:-1]
    return f"inbox-{slot}0-{at.minute % 10 * 60_000 + at.second * 1000 + taken_ms % 1000:06}"
