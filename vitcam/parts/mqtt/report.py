"""The state message: as `/api/state`, with what is seen now and what commands can set."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vitcam.daemon.model_choice import RunningModel
from vitcam.daemon.publisher import Publisher
from vitcam.daemon.run_state import RunState
from vitcam.daemon.running_settings import RunningSettings
from vitcam.run.kinds import Offers
from vitcam.run.objects import Objects
from vitcam.run_model import RunModel
from vitcam.slot import Current
from vitcam.sources.playback import Playback
from vitcam.web.stream.variant import Variant
from vitcam.wire import event_record, shown_record

_SHOWN_ELSEWHERE = frozenset(
    ("status", "reason", "problem", "shown", "present", "controls", "presence", "fps")
)  # of the templates of `vitcam.parts.mqtt.discovery`
_P_STEPS = 10  # a probability that moves by less than a tenth is not worth a message


@dataclass(frozen=True, slots=True)
class Report:
    """One state message."""

    record: Callable[[], Mapping[str, Any]]
    """Makes it, once it is sent: most are not."""
    key: str
    """Another one where something changed that people or rules look at."""
    offered: frozenset[str] = frozenset()
    """What of it entities of parts show."""

    def text_within(self, most_bytes: int) -> str:
        """As JSON. What is too large loses its largest parts, but never what Home Assistant shows."""
        record = dict(self.record())
        while len((text := json.dumps(record, ensure_ascii=False)).encode()) > most_bytes:
            shown = _SHOWN_ELSEWHERE | self.offered
            sizes = {key: len(json.dumps(value)) for key, value in record.items() if key not in shown}
            if not sizes:
                break
            del record[max(sizes, key=lambda key: sizes[key])]
        return text


@dataclass(frozen=True, slots=True)
class Reporter:
    """Asks the parts of a run. In any thread; cheap enough for each second."""

    state: RunState
    events: Publisher
    """Knows what is there now."""
    running: RunningSettings
    models: RunningModel
    model: Current[RunModel]
    default: Current[Variant]
    """What viewers get who choose nothing."""
    playback: Playback
    objects: Objects
    """Of the run, some of which offer entities."""
    extra: Callable[[], Mapping[str, Any]] = dict
    """More for the message, which is worth one whenever it changes."""

    def __call__(self) -> Report:
        state, newest = self.state(), self.state.newest()
        paused = state.paused or self.playback.paused
        shown = None if newest is None or paused else shown_record(newest.told)
        present = [event_record(event) for event in self.events.lasting.values()]
        controls = {
            "paused": paused,
            "model": self.model.value.name_or_file,
            "threshold": self.running.running.events.enter,
            "overlay": self.default.value.overlay,
        }
        extra = dict(self.extra())
        more = {"shown": shown, "present": present, "controls": controls, **extra}
        seen = shown and (shown["label"], shown["level"], round(shown["p"] * _P_STEPS))
        ids = [event["id"] for event in present]
        troubles = [getattr(piece, "trouble", "") for piece in state.parts.values()]
        weighty = (state.status, state.reason, state.problem, troubles, seen, ids, controls, extra)
        offered = (entity.shows for each in self.objects.each(Offers) for entity in each.entities())
        kept = frozenset(shows.partition(".")[0] for shows in offered)
        return Report(lambda: state.record() | more, json.dumps(weighty, ensure_ascii=False), kept)
