"""Synthetic clips of wide views: what is displayed right with following off, on, and with boxes by hand.

python -m tests.bench.wide_views [--set final] [--each 2] [--sizes 0.5,1,2,4,8] [--modes off,on,hand] [--workers 2]
python -m tests.bench.wide_views --varied    cut-outs and squares of photos, at many speeds, rates and qualities
python -m tests.bench.wide_views --varied --boxes    where boxes lie in them, without a model
python -m tests.bench.wide_views --empty [--minutes 60] [--fps 2]    scenes in which nothing happens
python -m tests.bench.wide_views --filmed                            two real clips, second by second
python -m tests.bench.wide_views --write FOLDER                      the clips as films, with the truth of each frame
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from tests.bench.wide_views.boxes import boxed
from tests.bench.wide_views.clips import SIZES, Plan, plans, shots_of, truth, varied
from tests.bench.wide_views.empty import Hour, watched
from tests.bench.wide_views.figures import GOAL, MODES, Clip, looks, measured, missed, read_clips, table
from tests.bench.wide_views.filmed import filmed
from tests.bench.wide_views.play import Mode
from tests.bench.wide_views.things import PARTS, things_of
from tests.bench.wide_views.weather import WEATHERS
from tests.videos import encode_film
from vitcam.errors import VitcamError
from vitcam.model.classifier import Classifier
from vitcam.pictures.opencv import use_one_thread
from vitcam_training.evaluation.clips import RIGHT, UNSURE, WRONG

_MOST_MORE = 1  # events an hour that show nothing, more than without following


def main() -> int:
    """Print the figures; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.wide_views")
    parser.add_argument("--set", choices=PARTS, default="final")
    parser.add_argument("--model", default="everyday")
    parser.add_argument("--each", type=int, default=2, help="clips for each size, weather and resolution")
    parser.add_argument("--varied", action="store_true", help="`--each` clips for each size and shape")
    parser.add_argument("--sizes", default=",".join(f"{size:g}" for size in SIZES))
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kept", type=Path, help="write what came of each clip to this file, a line of JSON each")
    parser.add_argument("--again", type=Path, help="print the figures of such a file, and play nothing")
    parser.add_argument("--boxes", action="store_true")
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--weathers", default=",".join(WEATHERS), help="of empty scenes")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--fps", type=float, default=2)
    parser.add_argument("--filmed", action="store_true")
    parser.add_argument("--write", type=Path)
    o = parser.parse_args()
    modes: list[Mode] = [mode for mode in MODES if mode in o.modes.split(",")]
    sizes = [float(size) for size in o.sizes.split(",")]
    planned = (varied if o.varied else plans)(o.set, o.each, sizes)
    if o.write is not None:
        return _write(o.write, planned, o.model)
    if o.boxes:
        return _boxes(planned)
    if o.filmed:
        return _filmed([mode for mode in modes if mode != "hand"], o.model, o.workers)
    if o.empty:
        hours = [Hour(o.set, 900 + n, weather, o.minutes, o.fps) for n, weather in enumerate(o.weathers.split(","))]
        return _empty(hours, [mode for mode in modes if mode != "hand"], o.model, o.workers)
    if o.again is not None:
        return _told(read_clips(o.again), modes)
    return _compare(measured(planned, modes, o.model, o.workers), modes, o.kept)


def _compare(measuring: Iterable[Clip], modes: Sequence[Mode], kept: Path | None) -> int:
    clips: list[Clip] = []
    if kept is not None:
        kept.unlink(missing_ok=True)
    for clip in measuring:
        clips.append(clip)
        if kept is not None:
            with kept.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(asdict(clip)) + "\n")
        print(f"\r{len(clips)} clips", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return _told(clips, modes)


def _told(clips: Sequence[Clip], modes: Sequence[Mode]) -> int:
    print(f"synthetic clips, {len({clip.photo for clip in clips})} things; 95 % intervals over clips\n")
    print(table(clips, modes), "", looks(clips, modes), sep="\n")
    if set(modes) != set(MODES):
        return 0
    short = missed(clips)
    print(f"\n(on − off) ≥ {GOAL} × (hand − off) from 1 % on:", f"missed at {short}" if short else "at each size")
    return 1 if short else 0


def _empty(hours: Sequence[Hour], modes: Sequence[Mode], model: str, workers: int) -> int:
    counts: dict[str, dict[Mode, int]] = {}
    for each in watched(hours, modes, model, workers):
        counts.setdefault(each.hour.weather, {})[each.mode] = len(each.events)
        print(
            f"{each.hour.weather}, {each.hour.minutes:g} minutes, {each.mode}: {len(each.events)} events in "
            f"{each.looks} looks: {', '.join(each.events)}",
            flush=True,
        )
    hour = hours[0].minutes / 60
    many = [kind for kind, n in counts.items() if n.get("on", 0) - n.get("off", 0) > _MOST_MORE * max(1.0, hour)]
    print(f"at most {_MOST_MORE} event an hour more with following:", f"not in {many}" if many else "in every weather")
    return 1 if many else 0


def _filmed(modes: Sequence[Mode], model: str, workers: int) -> int:
    for each in filmed(modes, model, workers):
        count, right = Counter(each.seconds), sum(right for _, right in each.events)
        verdicts = ", ".join(f"{count[verdict]} {verdict}" for verdict in (RIGHT, WRONG, UNSURE))
        names = ", ".join(f"{name}{'' if is_right else ' (wrong)'}" for name, is_right in each.events)
        print(
            f"{each.clip}, {each.mode}: {len(each.seconds)} seconds: {verdicts}; "
            f"{right} of {len(each.events)} events right: {names}; {each.looks} looks",
            flush=True,
        )
    return 0


def _boxes(planned: Sequence[Plan]) -> int:
    use_one_thread()
    for kind, shape in sorted({(plan.kind, plan.shape) for plan in planned}):
        own = [plan for plan in planned if plan.shape == shape]
        print(f"{shape}s, {boxed(own, things_of(kind, None, shape))}", flush=True)
    return 0


def _write(folder: Path, planned: Sequence[Plan], model: str) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    classifier = Classifier(model)
    things = {(kind, shape): things_of(kind, classifier, shape) for kind, shape in {(p.kind, p.shape) for p in planned}}
    for plan in planned:
        own = things[plan.kind, plan.shape]
        thing = own[plan.number % len(own)]
        name = folder / f"{plan.kind}-{plan.number:03}"
        with name.with_suffix(".jsonl").open("w", encoding="utf-8") as lines:
            pictures = []
            for shot in shots_of(plan, thing):
                lines.write(json.dumps(truth(plan, thing, shot)) + "\n")
                pictures.append(shot.picture)
        encode_film(name.with_suffix(".mp4"), pictures, fps=round(plan.fps))
        print(name.with_suffix(".mp4"), flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except VitcamError as error:
        sys.exit(str(error))
