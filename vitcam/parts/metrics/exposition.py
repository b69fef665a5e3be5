"""The figures of a run in the formats that Prometheus reads. Made when they are asked for: nothing is counted twice.

source  https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from prometheus_client import CollectorRegistry
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from vitcam.meters import BUCKETS_S, StageTimes
from vitcam.run.figures import Figure
from vitcam.state import State


@dataclass(frozen=True, slots=True)
class RunFigures:
    """Everything that is exposed, at one moment."""

    state: State
    encoded: int
    """JPEGs of the stream, since the start."""
    clients: Mapping[str, int]
    """Open connections by kind, such as `stream`."""
    times: Mapping[str, StageTimes]
    """By stage, as in `State.ms`."""
    events: Mapping[tuple[str, str], int]
    """(label, zone) -> how many began."""
    faults: Mapping[str, int]
    """By part, such as `source` or the name of a thread."""
    stalled: bool
    """Whether something stands still that only a restart can repair."""
    build: Mapping[str, str]
    """`version`, `model`, `runtime`."""
    parts: Sequence[Figure] = ()
    """Of the parts of the run."""


def exposition(figures: RunFigures, accept: str) -> tuple[bytes, str]:
    """The text, and its media type: OpenMetrics if the `Accept` header of the request asks for it."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Families(figures))
    encode, media_type = choose_encoder(accept)
    return encode(registry), media_type


class _Families(Collector):
    def __init__(self, figures: RunFigures) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        """Every family; what is not known is left out."""
        yield from self._pipeline()
        yield from self._health()
        yield from self._machine()
        yield from self._kept()
        yield from map(_family, self._figures.parts)
        yield InfoMetricFamily("vitcam_build", "What runs.", value=dict(self._figures.build))

    def _pipeline(self) -> Iterator[Metric]:
        figures, state = self._figures, self._figures.state
        frames = CounterMetricFamily("vitcam_frames", "Frames since the start.", labels=["stage"])
        counts = {name: getattr(state.frames, name) for name in ("captured", "classified", "dropped", "skipped")}
        for stage, count in (counts | {"encoded": figures.encoded}).items():
            frames.add_metric([stage], count)
        yield frames
        seconds = HistogramMetricFamily("vitcam_stage_seconds", "Time that a stage takes a frame.", labels=["stage"])
        for stage, times in figures.times.items():
            seconds.add_metric([stage], list(_cumulative(times)), times.total_s)
        yield seconds
        events = CounterMetricFamily("vitcam_events", "Events that began.", labels=["label", "zone"])
        for (label, zone), count in sorted(figures.events.items()):
            events.add_metric([label, zone], count)
        yield events
        clients = GaugeMetricFamily("vitcam_clients", "Open connections.", labels=["kind"])
        for kind, count in figures.clients.items():
            clients.add_metric([kind], count)
        yield clients
        yield GaugeMetricFamily("vitcam_up_seconds", "Time since the start.", value=state.uptime_s)
        yield CounterMetricFamily("vitcam_model_loads", "Models used one after the other.", value=state.model_loads)

    def _health(self) -> Iterator[Metric]:
        figures, state = self._figures, self._figures.state
        ready, problem = state.status in ("ok", "degraded"), state.problem is not None
        yield GaugeMetricFamily("vitcam_ready", "1: frames are classified.", value=ready)
        yield GaugeMetricFamily("vitcam_degraded", "1: something else does not work.", value=state.status == "degraded")
        yield GaugeMetricFamily("vitcam_camera_problem", "1: the view is moved, covered or the like.", value=problem)
        yield GaugeMetricFamily("vitcam_paused", "1: somebody has asked to classify nothing.", value=state.paused)
        yield GaugeMetricFamily("vitcam_watchdog_ok", "1: no stage stands still.", value=not figures.stalled)
        faults = CounterMetricFamily("vitcam_faults", "Failures after which a part began again.", labels=["part"])
        for part, count in figures.faults.items():
            faults.add_metric([part], count)
        yield faults

    def _machine(self) -> Iterator[Metric]:
        cost = self._figures.state.cost
        yield CounterMetricFamily("vitcam_cpu_seconds", "Processor time, with child processes.", value=cost.cpu_s)
        if cost.memory_bytes is not None:
            yield GaugeMetricFamily("vitcam_memory_bytes", "In memory, with child processes.", value=cost.memory_bytes)
        if cost.written_bytes is not None:
            yield CounterMetricFamily("vitcam_written_bytes", "Written to disks.", value=cost.written_bytes)

    def _kept(self) -> Iterator[Metric]:
        history = self._figures.state.history
        yield GaugeMetricFamily("vitcam_history_events", "Events that are kept.", value=history.events)
        yield GaugeMetricFamily("vitcam_history_bytes", "Of database, pictures and clips.", value=history.mb * 1e6)
        yield CounterMetricFamily("vitcam_history_dropped", "Events that were not kept.", value=history.dropped)


def _family(figure: Figure) -> Metric:
    kind = CounterMetricFamily if figure.counts else GaugeMetricFamily
    family = kind(figure.name, figure.doc, labels=figure.labels)
    for labels, value in figure.values.items():
        family.add_metric(labels, value)
    return family


def _cumulative(times: StageTimes) -> Iterator[tuple[str, float]]:
    """Upper end -> how many took at most so long."""
    total = 0
    for end, count in zip((*BUCKETS_S, float("inf")), times.counts, strict=True):
        total += count
        yield "+Inf" if end == float("inf") else str(end), total
