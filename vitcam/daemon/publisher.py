"""Makes events of predictions, and passes both to every sink. Called from the pipeline's publishing thread only."""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from vitcam.errors import VitcamError
from vitcam.events import Rules
from vitcam.frames import Event, Frame, Place, Prediction, Unreadable
from vitcam.look.active_areas import ActiveAreas
from vitcam.names.vocabulary import Vocabulary
from vitcam.pipeline.place_events import PlaceEvents
from vitcam.run.kinds import Configured, Hears, HoldsPixels, Sees
from vitcam.sinks.sink import Sink, Summary
from vitcam.sources.masks import masked

if TYPE_CHECKING:
    from vitcam.config.settings import Settings

log = logging.getLogger(__name__)

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class Publisher(HoldsPixels, Configured):
    """Passes predictions and their events to everybody who sees or hears them.

    stop        called when nobody reads the output any more: the run then ends without a message, as any filter does
    areas       the zones in force, each with rules of its own; None: all go by `rules`
    vocabulary  as `PlaceEvents` takes it
    followed    as `PlaceEvents` takes it
    """

    def __init__(
        self,
        rules: Rules,
        stop: Callable[[], None],
        areas: ActiveAreas | None = None,
        vocabulary: Vocabulary | None = None,
        followed: Callable[[], Collection[int]] | None = None,
    ) -> None:
        self._events = PlaceEvents(rules, areas, vocabulary, followed)
        self._areas = areas or ActiveAreas()
        self._showing = threading.Lock()
        self._sinks: tuple[Sink, ...] = ()
        self._seeing: tuple[Sees, ...] = ()
        self._hearing: tuple[Hears, ...] = ()
        self._reported: list[Event] = []
        """What those who see have reported since the last frame was told."""
        self._stop = stop
        self.errors = 0
        """Files that were skipped."""

    @property
    def rules(self) -> Rules:
        """When something counts as being there. Any thread may replace it; each prediction goes by one of them."""
        return self._events.rules

    @rules.setter
    def rules(self, rules: Rules) -> None:
        self._events.rules = rules

    @property
    def pending(self) -> frozenset[Place]:
        """Places at which an event may begin or end soon. May be read in any thread."""
        return self._events.pending

    @property
    def lasting(self) -> Mapping[Place, Event]:
        """What is there now. May be read in any thread."""
        return self._events.lasting

    def connect(self, *sinks: Sink) -> None:
        """Add sinks. Call it before anything runs."""
        self._sinks += sinks

    def attach(self, *objects: object) -> None:
        """Add those among them who see or hear. Call it before anything runs."""
        self._seeing += tuple(each for each in objects if isinstance(each, Sees))
        self._hearing += tuple(each for each in objects if isinstance(each, Hears))

    def apply(self, new: "Settings") -> None:
        self.rules = new.events.rules

    def serving(self, url: str) -> None:
        """Pass on where the page can be watched."""
        for sink in self._sinks:
            sink.serving(url)

    def prediction(self, frame: Frame, prediction: Prediction) -> None:
        """Pass on one prediction with its frame: first to those who see it, so that events are kept before rules tell.

        An error of one of them is raised once everybody has heard of it.

        raises  VitcamError when the output cannot be written
        """
        events, changed = self._events.step(prediction, event_id)
        try:
            self._show(frame, prediction, events)
        finally:
            self._pass_on(prediction, changed, events)

    def rested(self, frame: Frame, prediction: Prediction) -> None:
        """Show a frame in which nothing has moved since a prediction. Raises as `prediction`."""
        try:
            self._show_each(frame, lambda each, shown: each.rested(shown, prediction))
        finally:
            events = tuple(self._reported)
            self._reported.clear()
            with self._written():
                self._tell(events)
            for hearing in self._hearing if events else ():
                hearing.heard(prediction, events)

    def unseen(self, now_ns: int, stood_ns: Mapping[Place, int]) -> None:
        """Let time pass in a pause, in which nothing is classified. Takes what `PlaceEvents.unseen` does.

        raises  VitcamError when the output cannot be written
        """
        events = self._events.unseen(now_ns, stood_ns)
        if not events:
            return
        ended = tuple(event for event in events if event.phase == "end")
        try:
            with self._showing:
                self._for_each(lambda each: each.unseen(ended))
        finally:
            with self._written():
                self._tell(events)
            for hearing in self._hearing:
                hearing.heard(None, events)

    def _show(self, frame: Frame, prediction: Prediction, events: tuple[Event, ...]) -> None:
        self._show_each(frame, lambda each, shown: each.saw(shown, prediction, events))

    def _show_each(self, frame: Frame, show: Callable[[Sees, Frame], None]) -> None:
        if not self._seeing:
            return
        with self._showing:
            shown = masked(frame, self._areas.areas.masks)
            self._for_each(lambda each: show(each, shown))

    def _for_each(self, do: Callable[[Sees], None]) -> None:
        """Raises an error of one of those who see once everybody has had their turn."""
        failure: Exception | None = None
        for each in self._seeing:
            try:
                do(each)
            except Exception as error:  # noqa: BLE001 - the others see it first
                failure = error
        if failure is not None:
            raise failure

    def _pass_on(self, prediction: Prediction, changed: bool, events: tuple[Event, ...]) -> None:
        events = (*events, *self._reported)
        self._reported.clear()
        with self._written():
            for sink in self._sinks:
                sink.prediction(prediction, changed)
            self._tell(events)
        for each in self._hearing:
            each.heard(prediction, events)

    def drop_pixels(self) -> None:
        """Masks were drawn: nobody who sees keeps a picture that was taken before."""
        with self._showing, ExitStack() as all_of_them:  # whatever one raises
            for each in reversed(self._seeing):
                all_of_them.callback(each.drop_pixels)

    def report(self, event: Event) -> None:
        """Pass on an event that somebody made who sees, from within its call, once everybody has seen the frame."""
        self._reported.append(event)

    def unreadable(self, bad: Unreadable) -> None:
        """Pass on that a file was skipped."""
        self.errors += 1
        with self._written():
            for sink in self._sinks:
                sink.unreadable(bad)

    def close(self, summary: Summary | None) -> None:
        """End what still lasts, and sum up; None where the run failed. What one part does wrong keeps no other from it.

        raises  VitcamError when the output cannot be written
        """
        events = self._events.finish(time.monotonic_ns())
        for each in self._seeing:
            try:
                each.close(events)
            except Exception:  # a bug in one of them
                log.exception("what was seen last may not be kept")
        events = (*events, *self._reported)
        with self._written(), ExitStack() as all_of_them:  # calls them in the opposite order, whatever one raises
            for sink in reversed(self._sinks):
                all_of_them.callback(sink.close, summary)
                for event in reversed(events):
                    all_of_them.callback(sink.event, event)
            for hearing in reversed(self._hearing):
                all_of_them.callback(hearing.heard, None, events)

    def _tell(self, events: tuple[Event, ...]) -> None:
        for event in events:
            for sink in self._sinks:
                sink.event(event)

    @contextmanager
    def _written(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            self._stop()
        except OSError as error:
            raise VitcamError(
                f"the output cannot be written: {error.strerror}; make room or write elsewhere"
            ) from error


def event_id() -> str:
    """A new ULID: 48 bits of wall time in ms and 80 random ones. The clock may be set: ids need not sort by time.

    source  https://github.com/ulid/spec, Crockford's base 32
    """
    number = time.time_ns() // 1_000_000 << 80 | secrets.randbits(80)
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))
