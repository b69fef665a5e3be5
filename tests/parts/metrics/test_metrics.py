"""Prometheus gets figures that it can read, and the same ones as everybody else."""

import json

from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as families

from tests.integration.web.camera import Camera, Client
from vitcam.frames import Event
from vitcam.meters import LatencyMeter
from vitcam.parts.metrics.event_counts import MOST_SERIES, OTHERS, EventCounts
from vitcam.run.objects import Objects
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def event(label: str, zone: str | None = None, phase: str = "new") -> Event:
    return Event(label, phase, label, 0.9, 1, None, "camera", zone=zone)  # type: ignore[arg-type]


def scrape(server: WebServer, **headers: str) -> str:
    with Client(server, "/metrics", headers=headers) as client:
        text = client.read_body().decode()
        assert client.status == 200
    return text


def samples(text: str) -> Samples:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families(text)
        for sample in family.samples
    }


def test_prometheus_reads_the_frames_events_and_times_of_a_run(camera: Camera) -> None:
    counts, meter = EventCounts(), LatencyMeter()
    for each in (event("cat", "door"), event("cat", "door"), event("cat", "door", "end"), event("dog")):
        counts.heard(None, (each,))
    for ms in (0.5, 7, 7, 9000):
        meter.add(ms)
    objects = Objects()
    objects.add(counts)
    parts = camera.parts(
        objects=objects,
        times=lambda: {"infer": meter.times()},
        faults=lambda: {"source": 3, "history": 0},
    )
    server = WebServer(parts, Binding())
    server.start()
    try:
        with Client(server, "/stream?width=320") as stream:
            stream.read_part()
            found = samples(scrape(server))
        with Client(server, "/api/state") as client:
            state = json.loads(client.read_body())
    finally:
        server.stop(2)

    assert found["vitcam_events_total", (("label", "cat"), ("zone", "door"))] == 2
    assert found["vitcam_events_total", (("label", "dog"), ("zone", ""))] == 1
    assert found["vitcam_stage_seconds_count", (("stage", "infer"),)] == 4
    assert found["vitcam_stage_seconds_bucket", (("le", "0.01"), ("stage", "infer"))] == 3
    assert found["vitcam_stage_seconds_sum", (("stage", "infer"),)] == 9.0145
    assert found["vitcam_clients", (("kind", "stream"),)] == 1
    assert 0 < found["vitcam_frames_total", (("stage", "captured"),)] <= state["frames"]["captured"]
    assert found["vitcam_faults_total", (("part", "source"),)] == 3
    assert found["vitcam_faults_total", (("part", "history"),)] == 0
    assert found["vitcam_watchdog_ok", ()] == 1
    (build,) = (dict(labels) for name, labels in found if name == "vitcam_build_info")
    assert build["model"] == state["model"]
    assert set(build) == {"version", "model", "runtime"}


def test_openmetrics_is_given_to_who_asks_for_it(server: WebServer) -> None:
    text = scrape(server, Accept="application/openmetrics-text; version=1.0.0")

    assert text.endswith("# EOF\n")
    assert "vitcam_up_seconds" in {family.name for family in openmetrics(text)}  # type: ignore[no-untyped-call]


def test_ever_new_labels_do_not_make_series_without_end() -> None:
    counts = EventCounts()
    for number in range(MOST_SERIES + 50):
        counts.heard(None, (event(f"thing {number}"),))

    found = counts.snapshot()
    assert len(found) == MOST_SERIES + 1
    assert found[OTHERS, ""] == 50
