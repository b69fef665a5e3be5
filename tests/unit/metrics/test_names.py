"""The names of the figures stay: the page lists each one as it is, and the examples ask for no other."""

import re
from pathlib import Path

import pytest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from vitcam.meters import BUCKETS_S, StageTimes
from vitcam.metrics.exposition import RunFigures, exposition
from vitcam.state import Cost, Heat, State

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/program/metrics.md").read_text("utf-8")
SUFFIXES = {"counter": "_total", "histogram": "", "gauge": ""}
IMPLIED = {"le"}
"""Labels that the type of a figure brings along."""


def everything() -> RunFigures:
    """A run in which nothing is unknown."""
    state = State(
        *("ok", "", 1.0, "demo", "toy"),
        heat=Heat(60.0, hindrances=("throttled",)),
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
    )


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
