"""Decides how many frames/s the processor's temperature allows. Pure: the same readings give the same limits.

A PI controller in velocity form moves the share of the full rate that is allowed. It reacts to how fast the temperature
rises, so the rate falls before the limit is reached. Three things keep it calm: the temperature is smoothed, nothing
changes within a narrow band, and a higher limit waits, for twice as long after each one that had to be taken back.

The rate comes first, then the threads: where fewer threads reach the rate, each frame takes less time of the cores.
"""

import math
from dataclasses import dataclass, replace

_SMOOTH_S = 6.0  # time constant of the smoothed temperature
_GAIN = 0.06  # share of the full rate per K
_INTEGRAL_S = 120.0  # time in which the integral does as much as the gain
_HOT_TIMES = 1.5  # gain for what is too hot, relative to what is too cool
_CALM_K = 0.6  # width of the band in which nothing changes
_MARGIN_K = 0.25  # between the highest readings and the limit
_MORE_MARGIN_K = 0.35  # beside it at the full rate, where a K costs few frames
_RIPPLE_S = 3600.0  # how long a peak of the sensor's noise is remembered
_MOST_RIPPLE_K = 2.0  # more is not noise
_STEP, _STEP_OF_FULL = 0.04, 0.015  # least change of a limit, as a share of it and of the full rate
_HOLD_S, _LONGEST_HOLD_S = 60.0, 480.0  # least time between a change and a higher limit
_SLOWED_K = 3.0  # how far above the limit a processor counts that is being slowed
_LOWEST_LIMIT_K = 25.0  # a Raspberry Pi 3B+ is slowed from 60 °C on
_PLAUSIBLE = (0.5, 125.0)  # °C; a sensor that fails often says 0
_JUMP_K, _DOUBT_S = 15.0, 60.0  # no processor gets so much hotter at once: believed if it lasts
_LEAST_SHARE = 0.02  # of the full rate
_FREE_K = 2.5  # this far below what is aimed at, a limit that limits nothing any more is lifted
_CAREFUL_K = 20.0  # a run that begins nearer to the limit begins with a part of the full rate
_LONGEST_S = 60.0  # between two readings that belong together
_FEWER_BELOW, _MORE_ABOVE = 0.93, 1.3  # time of all inferences of a second, in s
_SCALING = 0.85  # N threads are N ** this times as fast: 1.78 times for 2 of them (docs/program/benchmarks.md)
_SAVED = 0.75  # time of the cores for a frame with one thread, relative to two
_HOT_K = 1.2  # this near to what is aimed at, the temperature is what limits
_MORE_AFTER_S, _COOL_K = 900.0, 5.0  # one more thread is tried after this time, or at once where it is this cool
_PEAK_S = 300.0  # in which a short peak of the rate is forgotten
_LOOKS = 8  # over which the time of an inference is smoothed


@dataclass(frozen=True, slots=True)
class GovernorRules:
    """What holds for the whole run."""

    limit_celsius: float
    """Temperature at which the processor is slowed, in °C."""
    threads: int
    """Threads of the model while nothing is limited."""
    least_fps: float = 1.0
    """The rate never falls below this."""


@dataclass(frozen=True, slots=True)
class HeatReading:
    """One look at the machine and the pipeline."""

    at_s: float
    """Monotonic time."""
    celsius: float | None
    """Of the processor, in °C; None: the sensor gave nothing."""
    slowed: bool
    """Whether the firmware slows the processor because it is hot."""
    fps: float
    """Frames classified/s since the last reading."""
    infer_ms: float
    """Of one inference with the threads in force; 0 before the first."""


@dataclass(frozen=True, slots=True)
class GovernorState:
    """The state between one reading and the next."""

    max_fps: float = 0.0
    """The limit in force, in frames/s; 0: none."""
    threads: int = 0
    """The threads in force; 0: all."""
    full_fps: float = 0.0
    """The highest rate so far: what the model or the camera does without a limit."""
    share: float = 1.0
    """What the controller wants, as a share of `full_fps`."""
    celsius: float | None = None
    """Smoothed; None before the first valid reading."""
    ripple: float = 0.0
    """How far readings lie above the smoothed temperature, in K."""
    doubted: float | None = None
    """A reading that was too far from the ones before; None: the last one was not."""
    doubted_s: float = 0.0
    """Since when readings are like that one."""
    limit_celsius: float = math.inf
    """Where the firmware was seen to slow the processor, if that is below the limit of the rules."""
    excess: float = 0.0
    """How far the highest readings lie above what is aimed at, in K."""
    at_s: float = 0.0
    changed_s: float = -math.inf
    """When a limit of the rate was last set."""
    raised: bool = False
    """Whether that was a higher one than before."""
    hold_s: float = _HOLD_S
    """How long after it a higher one is not set."""
    infer_ms: float = 0.0
    """Smoothed, of one inference with the threads in force; 0: not known yet."""
    threads_s: float = -math.inf
    """When the number of threads last changed."""


def step(rules: GovernorRules, state: GovernorState, reading: HeatReading) -> GovernorState:
    """Take one reading into account. An invalid one changes nothing: the limits in force stay."""
    state = replace(state, full_fps=_full_fps(state, reading))
    celsius = reading.celsius
    if celsius is None or not _PLAUSIBLE[0] <= celsius <= _PLAUSIBLE[1]:
        return replace(state, at_s=reading.at_s)
    if not _fits(state, celsius, reading.at_s):
        return _doubting(state, celsius, reading.at_s)
    seen = _seen(rules, state, celsius, reading)
    share = _share(state, seen, reading.at_s - state.at_s)
    return _with_threads(rules, _with_rate(rules, replace(seen, share=share, at_s=reading.at_s), reading), reading)


def _full_fps(state: GovernorState, reading: HeatReading) -> float:
    """The highest rate. While nothing is limited, a short peak is forgotten within minutes."""
    lower = state.full_fps - reading.fps
    if lower <= 0 or state.max_fps:
        return max(state.full_fps, reading.fps)
    return state.full_fps - lower * min(1.0, max(0.0, reading.at_s - state.at_s) / _PEAK_S)


def _fits(state: GovernorState, celsius: float, at_s: float) -> bool:
    """Whether a reading is near the ones before, or others like it came for long enough. The first two must agree."""
    if state.celsius is not None and abs(celsius - state.celsius) <= _JUMP_K:
        return True
    confirmed = state.doubted is not None and abs(celsius - state.doubted) <= _JUMP_K
    return confirmed and (state.celsius is None or at_s - state.doubted_s >= _DOUBT_S)


def _doubting(state: GovernorState, celsius: float, at_s: float) -> GovernorState:
    if state.doubted is not None and abs(celsius - state.doubted) <= _JUMP_K:
        return replace(state, at_s=at_s)
    return replace(state, doubted=celsius, doubted_s=at_s, at_s=at_s)


def _seen(rules: GovernorRules, state: GovernorState, now: float, reading: HeatReading) -> GovernorState:
    """Smooth the temperature, and remember how high the sensor's noise reaches and where the firmware interferes."""
    before = state.celsius
    limit = min(state.limit_celsius, rules.limit_celsius)
    if reading.slowed:
        limit = max(min(limit, now), rules.limit_celsius - _LOWEST_LIMIT_K)
    if before is None or abs(now - before) > _JUMP_K:
        before = now
    elapsed_s = max(0.0, reading.at_s - state.at_s)
    smooth = before + (now - before) * (1 - math.exp(-elapsed_s / _SMOOTH_S))
    ripple = max(state.ripple * math.exp(-elapsed_s / _RIPPLE_S), min(now - smooth, _MOST_RIPPLE_K))
    excess = smooth + ripple + _MARGIN_K + _MORE_MARGIN_K * state.share - limit
    if reading.slowed:
        excess = max(excess, _SLOWED_K)
    return replace(state, celsius=smooth, ripple=ripple, doubted=None, limit_celsius=limit, excess=excess)


def _share(before: GovernorState, now: GovernorState, elapsed_s: float) -> float:
    """The PI controller: the share of the full rate that the temperature allows."""
    if before.celsius is None or not 0 < elapsed_s <= _LONGEST_S:
        return min(now.share, max(_LEAST_SHARE, -now.excess / _CAREFUL_K))
    error, last = _beyond_calm(now.excess), _beyond_calm(before.excess)
    lower_by = _GAIN * (error - last + error * elapsed_s / _INTEGRAL_S)
    most_fps = (_MORE_ABOVE + 0.05) * _capacity_fps(now)
    if 0 < now.max_fps < _capacity_fps(now) and now.excess > -_COOL_K:  # a higher limit may still have to wait
        most_fps = now.max_fps + 2 * _least_step(now)
    most = min(1.0, most_fps / max(now.full_fps, 1e-3))
    least = max(_LEAST_SHARE, -now.excess / _CAREFUL_K)  # a processor that is cold may get hot quickly
    return min(most, max(least, now.share - lower_by))


def _least_step(state: GovernorState) -> float:
    """In frames/s: a limit that differs less from the one in force is not set."""
    return max(_STEP * (state.max_fps or state.full_fps), _STEP_OF_FULL * state.full_fps)


def _capacity_fps(state: GovernorState) -> float:
    """What fewer threads can do; no limit where all of them run, or nothing is known yet."""
    return 1000 / state.infer_ms if state.threads and state.infer_ms else math.inf


def _beyond_calm(excess: float) -> float:
    """0 within the calm band, so that the sensor's noise changes nothing there; what is too hot counts more."""
    return _HOT_TIMES * max(excess, 0.0) + min(excess + _CALM_K, 0.0)


def _with_rate(rules: GovernorRules, state: GovernorState, reading: HeatReading) -> GovernorState:
    """Set another limit of the rate where it differs enough from the one in force.

    A higher limit waits, and twice as long after each one that had to be taken back.
    """
    free = state.full_fps <= rules.least_fps or (state.share >= 1 and state.excess < -_FREE_K)
    wanted = max(rules.least_fps, min(state.share * state.full_fps, 1.05 * _capacity_fps(state)))
    in_force = state.max_fps or state.full_fps
    least = _least_step(state)
    if wanted <= in_force - least:
        hold_s = min(2 * state.hold_s, _LONGEST_HOLD_S) if state.raised else state.hold_s
        return replace(state, max_fps=wanted, changed_s=reading.at_s, raised=False, hold_s=hold_s)
    rested = reading.at_s - state.changed_s >= state.hold_s
    if rested and (wanted >= in_force + least or (free and state.max_fps)):
        hold_s = max(_HOLD_S, state.hold_s / 2) if state.raised else state.hold_s
        return replace(state, max_fps=0.0 if free else wanted, changed_s=reading.at_s, raised=True, hold_s=hold_s)
    return state


def _with_threads(rules: GovernorRules, state: GovernorState, reading: HeatReading) -> GovernorState:
    """As few threads as reach the rate while it is limited; one more where fewer are the narrower limit."""
    in_force = state.threads or rules.threads
    waited_s = reading.at_s - state.threads_s
    if reading.infer_ms <= 0 or waited_s < _HOLD_S:
        return state
    infer_ms = state.infer_ms + (reading.infer_ms - state.infer_ms) / (_LOOKS if state.infer_ms else 1)
    state = replace(state, infer_ms=infer_ms)
    load = state.share * state.full_fps * infer_ms / 1000
    enough = (n for n in range(1, in_force) if load * (in_force / n) ** _SCALING <= _FEWER_BELOW)
    fewest = next(enough, in_force)
    is_cool, is_hot = state.excess < -_COOL_K, state.excess > -_HOT_K
    if state.max_fps and fewest < in_force and is_hot:
        return replace(state, threads=fewest, threads_s=reading.at_s, infer_ms=0.0)
    too_few = in_force < rules.threads and (load > _MORE_ABOVE or not state.max_fps)
    if too_few and (is_cool or (waited_s >= _MORE_AFTER_S and not is_hot)):
        more = replace(state, threads=_or_all(rules, in_force + 1), threads_s=reading.at_s, infer_ms=0.0)
        return more if is_cool else _at_the_same_power(rules, more, reading)
    return state


def _or_all(rules: GovernorRules, threads: int) -> int:
    return threads if threads < rules.threads else 0


def _at_the_same_power(rules: GovernorRules, state: GovernorState, reading: HeatReading) -> GovernorState:
    """With one thread more each frame costs more time of the cores, so fewer are allowed at first."""
    fps = max(rules.least_fps, reading.fps * _SAVED)
    share = max(_LEAST_SHARE, min(state.share, fps / max(state.full_fps, fps)))
    return replace(state, max_fps=min(state.max_fps or fps, fps), changed_s=reading.at_s, share=share)
