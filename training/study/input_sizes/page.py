"""The page that people read: every sentence on what was found is made from the figures."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from vitcam_training.evaluation.intervals import Interval
from vitcam_training.plots import ACCENT, FAINT, PLAIN, figure
from vitcam_training.provenance import machine
from vitcam_training.study.input_sizes.measure import THREADS, InputSizeResult, SizeFigures
from vitcam_training.study.input_sizes.rule import ENTROPY, SAME, SURE, QuickRule, RuleOutcome
from vitcam_training.study.input_sizes.times import TURNS
from vitcam_training.study.program import write_markdown

WORTH = 0.6
"""Of the full look's time: a rule that takes more is not built."""


def write_page(path: Path, found: InputSizeResult, command: str) -> None:
    """Write the page, and its plot `.svg` beside it."""
    draw(path.with_suffix(".svg"), found)
    parts = [
        _intro(found),
        _verdict(found),
        "## Each size alone",
        _alone_words(found),
        _alone(found),
        "## A quick look, and the full one where it is not sure",
        _rule_words(found),
        _rules(found),
        f"![Time over the share of answers that are the same]({path.with_suffix('.svg').name})",
        "## Why",
        _why(found),
        "## On films",
        _film_words(),
        _films(found),
        _film_verdict(found),
        _again(found, command),
    ]
    write_markdown(path, parts)


def _intro(r: InputSizeResult) -> str:
    sizes = _list(f"{each.px}" for each in r.quick)
    return f"""# A quick look before the full one

A smaller input has fewer patches, so an inference takes less time. `{r.model}` was exported with inputs of {sizes} px,
its positions interpolated, in int8 and one piece of XNNPACK; nothing was trained. Then a rule was tried: look with the
small input first, and with that of {r.full.px} px only where the first look is not sure. It was to be built if
{SAME:.1%} of the displayed answers are those of the full look and it takes at most {WORTH} of the full look's time.

Temperature, familiarity and rules are fitted to {r.photos_chosen:,} photos that choose, and measured on
{r.photos_measured:,} others, which chose nothing. In brackets: 95 % intervals."""


def _verdict(r: InputSizeResult) -> str:
    best = min(r.quick, key=_time_at_same)
    outcome = best.rules[-1].measured
    time = outcome.time(best.ratios[0])
    if time.value <= WORTH:
        return f"**It takes {_number(time)} of the time, with {best.px} px first.**"
    slower = "It takes more time than full looks alone" if time.low > 1 else "It takes too much time"
    return (
        f"**{slower}: {_number(time)} times theirs with {best.px} px first, the best of these sizes, for "
        f"{outcome.same_share.value:.1%} of the same answers. So vitcam always takes the full look.**"
    )


def _time_at_same(size: SizeFigures) -> float:
    return size.rules[-1].chosen.time(size.ratios[0]).value


def _alone_words(r: InputSizeResult) -> str:
    return f"""Time is that of the processor, over the full look's, the median of {TURNS} turns; with two threads it
holds the time in which they wait for each other. *The same* is the share of the displayed answers of held-out photos
that are those of {r.full.px} px: the name that has a probability of 0.5 or more, or none. *Right* and *with a name* are
of the {r.photos_ordinary:,} ordinary photos that are held out."""


def _alone(r: InputSizeResult) -> str:
    heads = ["input", *(f"time, {_threads(n)}" for n in THREADS), "top-1 right", "with a name", "the same"]
    lines = [f"| {' | '.join(heads)} |", f"|---{'|---:' * (len(heads) - 1)}|"]
    for each in (r.full, *r.quick):
        times = [f"{ratio.value:.2f}" for ratio in each.ratios]
        same = "–" if each is r.full else _percent(each.same)
        cells = [f"{each.px} px", *times, _percent(each.right), _percent(each.named), same]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"


def _rule_words(r: InputSizeResult) -> str:
    scores = _list(SURE.values())
    return f"""A quick look that is sure enough is displayed. Any other is followed by a full look, and so is one
without a name. Three measures of how sure it is were tried: {scores}. On the photos that choose, the one with
the fewest full looks was taken. The time of a picture is that of the quick look, and for the share of full looks one
more, at one thread."""


def _rules(r: InputSizeResult) -> str:
    heads = ("wanted", "first look", "by", "full looks", "the same", "time", "time where it was fitted")
    lines = [f"| {' | '.join(heads)} |", "|---|---|---|---:|---:|---:|---:|"]
    for i, level in enumerate(each.level for each in r.quick[0].rules):
        for size in r.quick:
            at = size.rules[i]
            ratio = size.ratios[0]
            cells = [
                f"{level:.1%}",
                f"{size.px} px",
                _told(at.rule),
                _percent(at.measured.full_share),
                _percent(at.measured.same_share),
                _number(at.measured.time(ratio)),
                f"{at.chosen.time(ratio).value:.2f}",
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _told(rule: QuickRule) -> str:
    if not math.isfinite(rule.least):
        return "never"
    if rule.score == ENTROPY:
        return f"entropy ≤ {-rule.least:.3f}"
    return f"{rule.score} ≥ {rule.least:.3f}"


def _why(r: InputSizeResult) -> str:
    told = _list(
        f"{size.oracle.time(size.ratios[0]).value:.2f} with {size.px} px ({_share(size.oracle)} full looks)"
        for size in r.quick
        if size.oracle
    )
    known = _list(
        f"{_known(size.oracle, size.rules[-1].measured):.0%} at {size.px} px" for size in r.quick if size.oracle
    )
    return f"""Suppose that somebody told for each photo whether the quick look displays the same, and only the others
got a full look. The time would be {told}. No rule that begins with the quick look can take less and always display
the same: a network that was trained at {r.full.px} px says something else of too many photos at a smaller input. The
rule for {SAME:.1%} takes far more, since it knows few of the quick looks that display the same: {known}."""


def _known(told: RuleOutcome, rule: RuleOutcome) -> float:
    """Of the quick looks that display the same, the share that a rule accepts."""
    return (rule.n - rule.looked_full) / max(1, told.n - told.looked_full)


def _film_words() -> str:
    return f"""Two clips of fixed cameras, frame by frame. What counts is the headline, which the daemon displays over
time with its smoothing and its events. *By the rule* is the rule for photos above. *Kept* is one for scenes that
stand still: the last full look counts until the probabilities of the quick look have moved from those of the quick
look beside it. By how much they may move is fitted to the other clip. There {SAME:.1%} of the headlines are the same
at that limit and at every smaller one. *Every second frame* and the *motion gate* (`motion.enabled`, with its
defaults) have full looks alone."""


def _films(r: InputSizeResult) -> str:
    heads = ("clip", "what", "full looks", "headlines the same", "time")
    lines = [f"| {' | '.join(heads)} |", "|---|---|---:|---:|---:|"]
    for i, beside in enumerate(r.beside):
        for size in r.quick:
            one, ratio = size.clips[i], size.ratios[0].value
            lines.append(_film(one.clip, f"{size.px} px, by the rule", one.rule, ratio))
            lines.append(
                _film(one.clip, f"{size.px} px, kept while it moves by {one.shift:.2f} at most", one.still, ratio)
            )
        lines.append(_film(beside.clip, "every second frame", beside.half, 0.0))
        lines.append(_film(beside.clip, "motion gate", beside.gate, 0.0))
    return "\n".join(lines)


def _film(clip: str, what: str, outcome: RuleOutcome, ratio: float) -> str:
    time = ratio + outcome.looked_full / outcome.n
    return f"| {clip} | {what} | {_share(outcome)} | {outcome.same / outcome.displayed:.1%} | {time:.2f} |"


def _film_verdict(r: InputSizeResult) -> str:
    good = [
        f"{size.px} px {what}"
        for size in r.quick
        for what, outcomes in (
            ("by the rule", [clip.rule for clip in size.clips]),
            ("kept", [clip.still for clip in size.clips]),
        )
        if all(_is_worth(each, size.ratios[0].value) for each in outcomes)
    ]
    half = _list(f"{each.half.same / each.half.displayed:.1%}" for each in r.beside)
    said = (
        f"On both clips these keep {SAME:.1%} of the headlines in at most {WORTH} of the time: {_list(good)}."
        if good
        else f"None with a quick look keeps {SAME:.1%} of the headlines in at most {WORTH} of the time on both clips."
    )
    return (
        f"{said} A full look at every second frame keeps {half} of them in half the time. To save time, look less "
        "often: `model.fps` limits the predictions/s."
    )


def _is_worth(outcome: RuleOutcome, ratio: float) -> bool:
    return outcome.same >= SAME * outcome.displayed and ratio + outcome.looked_full / outcome.n <= WORTH


def _again(r: InputSizeResult, command: str) -> str:
    ms = _list(f"{ms:.1f} ms at {_threads(threads)}" for ms, threads in zip(r.full.ms, THREADS, strict=True))
    fits = _list(f"{size.temperature:.2f} at {size.px} px" for size in r.quick)
    return f"""## Again

```console
$ {command}
```

{date.today()}, {machine()}. Processor time of a full look while this was measured: {ms}. Further temperature that
was fitted: {fits}."""


def draw(path: Path, r: InputSizeResult) -> None:
    """Time over the share of displayed answers that are the same, a line for each size."""
    with figure(path, 7, 3.6) as axes:
        for size, colour in zip(
            r.quick, (ACCENT, PLAIN, FAINT, "#0f766e", "#7c3aed", "#a16207", "#be123c", "#1d4ed8"), strict=False
        ):
            outcomes = [at.measured for at in size.rules]
            same = [100 * one.same_share.value for one in outcomes]
            times = [one.time(size.ratios[0]) for one in outcomes]
            axes.plot(same, [time.value for time in times], "o-", color=colour, label=f"{size.px} px first")
            axes.fill_between(same, [t.low for t in times], [t.high for t in times], color=colour, alpha=0.12, lw=0)
        axes.axhline(1, color=PLAIN, lw=1, ls=":", label="full looks alone")
        axes.axhline(WORTH, color=ACCENT, lw=1, ls="--", label="worth building")
        axes.set_ylim(bottom=0)
        axes.set_xlabel(f"displayed answers that are those of {r.full.px} px, %")
        axes.set_ylabel("time, in full looks")
        axes.legend(frameon=False, loc="lower left")


def _share(outcome: RuleOutcome) -> str:
    return f"{outcome.looked_full / outcome.n:.1%}"


def _percent(one: Interval) -> str:
    return f"{one.value:.1%} ({100 * one.low:.1f} to {100 * one.high:.1f})"


def _number(one: Interval) -> str:
    return f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f})"


def _list(words: Iterable[str]) -> str:
    *before, last = list(words) or [""]
    return f"{', '.join(before)} and {last}" if before else last
