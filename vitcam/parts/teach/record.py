"""A report as JSON, and as lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from vitcam.parts.teach.report import Report, Share

_MOST = 10
"""Lines of each kind; the JSON has all."""


def report_record(report: Report) -> dict[str, Any]:
    """The report as JSON, each share with its 95 % interval."""
    record = asdict(report)
    record["labels"] = [{"label": label, "photos": photos} for label, photos in report.labels]
    for name in ("accuracy", "held_out", "half", "lost", "stolen"):
        share: Share | None = getattr(report, name)
        counts = "count" if name in ("lost", "stolen") else "right"
        record[name] = None if share is None else _share_record(share, counts)
    if (found := report.compared) is not None:
        record["compared"] = {
            "model": found.model, "before": _share_record(found.before), "after": _share_record(found.after),
        }  # fmt: skip
    return {"type": "report", **record}


def report_lines(report: Report) -> Iterator[str]:
    """What a person reads on a terminal."""
    count = sum(photos for _, photos in report.labels)
    yield f"{report.name} knows {len(report.labels)} labels from {count:,} pictures"
    if report.accuracy:
        yield f"right: {_share(report.accuracy)}; each was asked about without having been learned"
    if report.held_out:
        yield f"right: {_share(report.held_out)} that were held out"
    if (found := report.compared) is not None:
        yield (
            f"of {found.before.n} pictures that neither has learned from, {found.model} is right about "
            f"{found.before.count}, and {report.name} about {found.after.count}"
        )
    yield from _takes_too_much(report)
    for pair in report.confused[:_MOST]:
        yield f"{pair.label} taken for {pair.taken_for}: {pair.count}, such as {', '.join(pair.names[:3])}"
    for suspect in report.suspects[:_MOST]:
        yield f"named wrong? {suspect.name}: {suspect.label}, looks like {suspect.looks_like} ({suspect.p:.0%})"
    for bad in report.unreadable[:_MOST]:
        yield f"left out {bad.path}: {bad.error}"
    if len(report.unreadable) > _MOST:
        yield f"left out {len(report.unreadable) - _MOST} more files that cannot be read"
    yield from report.advice


def _takes_too_much(report: Report) -> Iterator[str]:
    if report.lost:
        yield f"of the photos of other things that the base is right about, it takes {_share(report.lost)}"
    if report.stolen:
        yield f"of what this camera saw before, it takes {_share(report.stolen)}"
    for label in report.background:
        yield (
            f"{label!r} is recognised as surely where the thing is painted out, so by its background: take pictures of "
            "it in front of other backgrounds"
        )


def _share_record(share: Share, counts: str = "right") -> dict[str, Any]:
    low, high = share.interval
    return {counts: share.count, "n": share.n, "value": share.value, "low": low, "high": high}


def _share(share: Share) -> str:
    low, high = share.interval
    return f"{share.value:.1%} of {share.n:,} pictures (95 % interval {low:.1%} to {high:.1%})"
