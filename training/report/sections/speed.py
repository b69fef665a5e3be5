"""Speed on this machine, and size."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from vitcam.benchmark.row import BenchRow
from vitcam_training.report.markup import Node, paragraph, table
from vitcam_training.report.material import Material

HEAD = ("threads", "p50 ms", "p90 ms", "p99 ms", "pictures/s", "memory MB", "of the roofline")


def speed(material: Material) -> list[Element]:
    """Latency as `vitcam bench` measures it, on the machine that made the report."""
    words = (
        f"Measured now, on {material.machine}, as vitcam bench does, each measurement in a process of its own. The "
        "roofline is what the model's products would take at the rate of one large product."
    )
    times = table("Time of one inference", HEAD, map(_row, material.speed), "figures")
    beside = (
        paragraph(material.machine_load.words)
        if material.machine_load.at_rest
        else paragraph(material.machine_load.words, class_="warning")
    )
    return [paragraph(words), beside, times, table("Size", (), _facts(material))]


def _row(row: BenchRow) -> list[Node]:
    times = [f"{row.p50_ms:.2f}", f"{row.p90_ms:.2f}", f"{row.p99_ms:.2f}"]
    reached = "–" if row.fraction is None else f"{row.fraction:.0%}"
    return [f"{row.threads}", *times, f"{row.fps:.1f}", f"{row.rss_mb:.0f}", reached]


def _facts(material: Material) -> list[list[Node]]:
    card, runtime = material.classifier.card, material.classifier.runtime
    pieces = f"{runtime.partitions} XNNPACK partition{'s' * (runtime.partitions != 1)}"
    return [
        ["file", f"{material.classifier.path.stat().st_size / 1e6:.2f} MB"],
        ["weights", f"{card.parameters:,}" if card.parameters else "not stated"],
        ["runtime", f"{runtime.name} {runtime.version}, {pieces}, {runtime.outside} operators outside"],
    ]
