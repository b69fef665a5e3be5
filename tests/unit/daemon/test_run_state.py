"""The state of a run: every part says its own, and the line for systemd says the worst."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from vitcam.config.camera import CameraSettings
from vitcam.daemon.recording import Recording
from vitcam.daemon.run_state import RunState
from vitcam.parts import PARTS
from vitcam.run.kinds import Reports
from vitcam.run.objects import Objects
from vitcam.run_model import RunModel
from vitcam.slot import Current
from vitcam.state import Cost, PipelineState, Rates, State
from vitcam.storage.outbox import Outbox
from vitcam.storage.unsaved import Unsaved


def of_a_part() -> tuple[str, type[Any]]:
    """Where some part stands in the state, and what."""
    return next((key, kind) for part in PARTS for key, kind in part.state.items())


class Pipeline:
    """One that works, and says what else is wrong."""

    latest = predicted = SimpleNamespace(peek=lambda: None)

    def state(self, *others: str) -> PipelineState:
        reason = "; ".join(filter(None, others))
        return PipelineState("degraded" if reason else "ok", reason, 1.0, "demo", "toy", Rates(classified=9.5))


class Hot(Reports):
    def state(self) -> object:
        return of_a_part()[1]()

    def words(self) -> str:
        return "too hot"

    def troubles(self) -> tuple[str, ...]:
        return ("the fan is gone",)

    def notices(self) -> tuple[str, ...]:
        return ("it is summer",)


@pytest.fixture
def state() -> RunState:
    objects = Objects()
    objects.add(Hot())
    pipeline: Any = Pipeline()
    model = RunModel(Any, Any, "toy")  # type: ignore[arg-type]
    disk: Any = SimpleNamespace(trouble="", unreadable=())
    running: Any = SimpleNamespace(running=SimpleNamespace(camera=CameraSettings(name="Front door")))
    cost: Any = lambda: Cost(cpu_s=3.0)  # noqa: E731
    return RunState(
        objects,
        pipeline,
        Recording(no_history="another run keeps it"),
        Current(model),
        disk,
        Outbox(None),
        Unsaved(),
        running,
        cost=cost,
    )


def test_every_part_has_its_place_in_the_state(state: RunState) -> None:
    key, kind = of_a_part()
    found = state()

    assert (found.name, found.source, found.fps.classified, found.status) == ("Front door", "demo", 9.5, "degraded")
    assert (found.parts[key], found.cost) == (kind(), Cost(cpu_s=3.0))
    assert found.notices == ("it is summer",)
    assert (found.history.trouble, found.problem) == ("another run keeps it", None)


def test_the_state_has_its_fields_in_the_order_that_the_api_promises() -> None:
    assert list(State.__dataclass_fields__) == [
        *("status", "reason", "uptime_s", "source", "model", "fps", "frames", "ms", "zones"),
        *("model_loads", "follows", "following", "paused", "reasons", "resting_since"),
        *("cost", "history", "problem", "notices", "unsaved", "name", "parts"),
    ]


def test_everything_that_is_wrong_is_in_the_reason_and_in_the_line_the_most_important_first(state: RunState) -> None:
    well = state.line()
    state.model.value = replace(state.model.value, trouble="the model is another one")
    state.disk.trouble, state.disk.unreadable = "the disk is full", ("x.tflite cannot be read",)
    state.thread_trouble = "no clips are made"
    others = "the model is another one; the disk is full; no clips are made; x.tflite cannot be read"
    reason = f"{others}; the fan is gone"

    assert well == "degraded: the fan is gone"
    assert (state().status, state().reason) == ("degraded", reason)
    assert state.line() == f"degraded: {reason}"
