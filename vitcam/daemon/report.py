"""How a run is, for a household's system: as `/api/state`, with what is seen now and what can be set."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from vitcam._version import __version__
from vitcam.config.identity import Identity
from vitcam.daemon.model_choice import RunningModel
from vitcam.daemon.publisher import Publisher
from vitcam.daemon.run_state import RunState
from vitcam.daemon.running_settings import RunningSettings
from vitcam.look.watched import Presence, WatchedNow, presence_record
from vitcam.names.vocabulary import Vocabulary
from vitcam.run.kinds import Offers
from vitcam.run.objects import Objects
from vitcam.run.report import Report
from vitcam.run_model import RunModel
from vitcam.slot import Current
from vitcam.sources.playback import Playback
from vitcam.web.stream.variant import Variant
from vitcam.wire import event_record, shown_record

_P_STEPS = 10  # a probability that moves by less than a tenth is not worth a message
_NEEDED: Final = {
    "pause": (),
    "model": (),
    "threshold": ("events.enter", "events.leave"),
    "overlay": ("overlay.mode",),
}
"""Control -> the settings that it changes."""


@dataclass(frozen=True, slots=True)
class Reporter:
    """Asks the parts of a run. In any thread; cheap enough for each second."""

    identity: Identity
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
    watched: WatchedNow
    vocabulary: Vocabulary

    def __call__(self) -> Report:
        state, newest, lasting = self.state(), self.state.newest(), self.events.lasting.values()
        paused = state.paused or self.playback.paused
        shown = None if newest is None or paused else shown_record(newest.told)
        present = [event_record(event) for event in lasting]
        controls = {
            "paused": paused,
            "model": self.model.value.name_or_file,
            "threshold": self.running.running.events.enter,
            "overlay": self.default.value.overlay,
        }
        presence = presence_record(self.watched(), lasting, self.vocabulary)
        more = {"shown": shown, "present": present, "controls": controls, "presence": presence}
        seen = shown and (shown["label"], shown["level"], round(shown["p"] * _P_STEPS))
        ids = [event["id"] for event in present]
        troubles = [getattr(piece, "trouble", "") for piece in state.parts.values()]
        weighty = (state.status, state.reason, state.problem, troubles, seen, ids, controls, presence)
        offered = (entity.shows for each in self.objects.each(Offers) for entity in each.entities())
        kept = frozenset(shows.partition(".")[0] for shows in offered)
        return Report(lambda: state.record() | more, json.dumps(weighty, ensure_ascii=False), kept)

    def about(self) -> dict[str, Any]:
        """What seldom changes, such as whose state it is, what its presences are, and which controls can be set."""
        watched = [_watched_record(each) for each in self.watched()]
        return {
            "camera": asdict(self.identity),
            "version": __version__,
            "watched": watched,
            "settable": [*filter(self.can_set, _NEEDED)],
            "disk": self.state.disk.trouble,
        }

    def can_set(self, control: str) -> bool:
        """Whether `pause`, `model` and so on can be set: what the configuration fixes cannot."""
        if control == "model" and self.models.fixed:
            return False
        return self.running.can_be_set.issuperset(_NEEDED.get(control, ()))


def _watched_record(presence: Presence) -> Mapping[str, Any]:
    return {"key": presence.key, "name": presence.name, "label": presence.label, "zone": presence.zone}
