"""The names of the figures stay: the page lists each one as it is, and the examples ask for no other."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from tests.prometheus import dashboard_expressions
from vitcam.history.store import EventStore
from vitcam.machine import Machine
from vitcam.meters import BUCKETS_S, StageTimes
from vitcam.parts.metrics.exposition import RunFigures, exposition
from vitcam.pipeline.limits import PaceLimits
from vitcam.run.figures import Figure
from vitcam.state import Cost, State

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/program/metrics.md").read_text("utf-8")
GRAFANA = ROOT / "examples/grafana"
DASHBOARD = GRAFANA / "dashboard.json"
ALERTS = (GRAFANA / "alerts.yml").read_text("utf-8")
OF_PROMETHEUS = {"instance", "job"}
SUFFIXES = {"counter": "_total", "histogram": "", "gauge": ""}
IMPLIED = {"le"}
"""Labels that the type of a figure brings along."""


def everything() -> RunFigures:
    """A run in which nothing is unknown."""
    state = State(
        *("ok", "", 1.0, "demo", "toy"),
        cost=Cost(1.0, 1, 1),
    )
    return RunFigures(
        state=state,
        encoded=1,
        clients={"stream": 1},
        times={"infer": StageTimes((1,) * (len(BUCKETS_S) + 1), 1.0)},
        events={("cat", "door"): 1},
        faults={"source": 1},
        stalled=False,
        build={"version": "1", "model": "toy", "runtime": "none"},
        parts=[*heat_figures(), *clip_figures(), *rule_figures(), *broker_figures()],
    )


def heat_figures() -> Iterator[Figure]:
    from vitcam.parts.heat.state import Heat  # here, so that the other tests go on without it
    from vitcam.parts.heat.watch import HeatWatch

    watch = HeatWatch(Machine({}), None, PaceLimits(), None)  # type: ignore[arg-type]
    watch.heat = Heat(60.0, hindrances=("throttled",))
    return watch.figures()


def clip_figures() -> Iterator[Figure]:
    from vitcam.parts.clips.encoding import ClipQueue
    from vitcam.parts.clips.ffmpeg import Ffmpeg

    return ClipQueue(Ffmpeg("ffmpeg"), EventStore(Path("unused")), 10.0).figures()


def rule_figures() -> Iterator[Figure]:
    from vitcam.parts.alerts.state import Actions, figures_of

    return figures_of(Actions())


def broker_figures() -> Iterator[Figure]:
    from vitcam.parts.mqtt.state import MqttState, figures_of

    return figures_of(MqttState())


def families() -> list[Metric]:
    text, _ = exposition(everything(), "")
    return list(text_string_to_metric_families(text.decode()))


def test_the_page_lists_every_figure_with_its_type_and_its_labels() -> None:
    rows = re.findall(r"^\| `(vitcam_\w+)` \| (\w+) \|([^|]*)\|", PAGE, re.MULTILINE)

    listed = {(name, kind, frozenset(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}
    exposed = {
        (
            family.name + SUFFIXES[family.type],
            family.type,
            frozenset(label for sample in family.samples for label in sample.labels) - IMPLIED,
        )
        for family in families()
    }

    assert listed == exposed
    assert len(rows) == len(exposed)


def test_the_page_says_where_the_ranges_of_the_histogram_end() -> None:
    said = "1, 2.5, 5, 10, 20, 50, 100, 250 and 500 ms, 1 s and 2.5 s"

    assert said in PAGE
    assert [float(each) for each in re.findall(r"[\d.]+", said)] == pytest.approx(
        [1000 * end for end in BUCKETS_S[:-2]] + list(BUCKETS_S[-2:])
    )


def test_dashboard_and_alerts_ask_only_for_figures_and_labels_that_there_are() -> None:
    exposed = {sample.name: set(sample.labels) for family in families() for sample in family.samples}
    asked = " ".join([ALERTS, *dashboard_expressions(DASHBOARD)])
    selectors = re.findall(r"(vitcam_\w+)(?:\{([^}]*)\})?", asked)

    assert len(selectors) > 40
    assert {name for name, _ in selectors} <= set(exposed)
    for name, labels in selectors:
        assert set(re.findall(r"(\w+)[!=]?[=~]", labels)) <= exposed[name] | OF_PROMETHEUS, name
    for labels in re.findall(r"\b(?:by|on|group_left) \(([^)]*)\)", asked):
        assert set(labels.split(", ")) <= set().union(*exposed.values()) | OF_PROMETHEUS


def test_every_alert_is_tried_and_says_what_to_do() -> None:
    names = re.findall(r"alert: (\w+)", ALERTS)

    assert names == re.findall(r"- alertname: (\w+)", (GRAFANA / "alerts_test.yml").read_text("utf-8"))
    assert ALERTS.count("summary:") == ALERTS.count("description:") == ALERTS.count("severity:") == len(names)


def test_grafanas_own_types_take_every_field_of_the_dashboard() -> None:
    register_default_plugins()
    written = json.loads(DASHBOARD.read_text("utf-8"))

    taken = json.loads(JSONEncoder(sort_keys=True).encode(Dashboard.from_json(written)))

    assert list(lost(written, taken)) == []


def test_no_panel_of_the_dashboard_lies_on_another_and_each_says_what_it_shows() -> None:
    panels = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
    fields = [
        (panel["gridPos"]["x"] + x, panel["gridPos"]["y"] + y)
        for panel in panels
        for x in range(panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["h"])
    ]

    assert len(set(fields)) == len(fields)
    assert max(x for x, _ in fields) == 23
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert all(panel["type"] == "row" or (panel["description"] and panel["targets"]) for panel in panels)


def lost(written: Any, taken: Any, path: str = "") -> Iterator[str]:
    """The paths of what is not the same any more."""
    if isinstance(written, dict) and isinstance(taken, dict):
        for key, value in written.items():
            yield from lost(value, taken.get(key), f"{path}.{key}")
    elif isinstance(written, list) and isinstance(taken, list) and len(written) == len(taken):
        for number, (old, new) in enumerate(zip(written, taken, strict=True)):
            yield from lost(old, new, f"{path}[{number}]")
    elif written != taken:
        yield path
