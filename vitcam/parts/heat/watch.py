"""A small thread that looks at temperature and power every two seconds, sets the limits of the run, and says so."""

import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

from vitcam.daemon.run import Run
from vitcam.machine import Machine
from vitcam.parts.heat import THREAD
from vitcam.parts.heat.governor import GovernorRules, GovernorState, HeatReading, step
from vitcam.parts.heat.settings import HeatSettings
from vitcam.parts.heat.state import Heat
from vitcam.pipeline.limits import PaceLimits, Progress
from vitcam.pipeline.pipeline import Pipeline
from vitcam.run.ending import Ending
from vitcam.run.entity import Entity
from vitcam.run.figures import Figure
from vitcam.run.kinds import Offers, Reports, Runs
from vitcam.threads.worker import Worker

log = logging.getLogger(__name__)

PI_LIMIT = 80.0
"""°C; from there on the firmware slows the cores.

source  https://www.raspberrypi.com/documentation/computers/raspberry-pi.html#frequency-management-and-thermal-control
"""
LOOK_EVERY_S = 2.0  # a Raspberry Pi 5 without a cooler gains 0.4 K in this time under full load
POWER_LOG_EVERY_S = 3600.0  # a weak supply may flicker: the state says it at once, the log once an hour
SLOWED_FROM = 75.0  # °C; a processor that is throttled when it is cooler has another reason

_WEAK = (
    "The power supply is too weak (under-voltage), so the firmware slows the processor and the machine may crash. "
    "Use the official 27 W supply and a short cable."
)
_SLOWED = "The firmware slows the processor because it is too hot{at}. Add a fan or a heat sink."
_LIMITED = (
    "The processor is hot{at}, so vitcam classifies {most}. Then the firmware does not slow it. Add a fan or a heat "
    "sink for more."
)


TEMPERATURE = Entity(
    "temperature",
    "heat.celsius",
    "sensor",
    "Temperature",
    {
        "device_class": "temperature",
        "unit_of_measurement": "°C",
        "state_class": "measurement",
        "suggested_display_precision": 0,
    },
)


class HeatWatch(Runs, Reports, Offers):
    """Reads the sensors, asks the governor, sets the limits, and logs every change of them once.

    rules     None: temperature and power are shown, but nothing is limited
    limits    of the pipeline
    pipeline  says how much it did
    """

    def __init__(self, machine: Machine, rules: GovernorRules | None, limits: PaceLimits, pipeline: Pipeline) -> None:
        self._machine = machine
        self._rules = rules
        self._limits = limits
        self._pipeline = pipeline
        self._governor = GovernorState()
        self._before = (0.0, 0)  # monotonic time in s, frames classified
        self._has_sensor = False
        self._power_logged_s = float("-inf")
        self._over = threading.Event()
        self._worker = Worker("heat", self._run, THREAD)
        self.heat = Heat()
        """How it was at the last look; replaced as a whole."""

    @property
    def workers(self) -> tuple[Worker, ...]:
        return (self._worker,)

    def start(self) -> None:
        """Begin to look, in a thread of its own."""
        self._worker.start()

    def stop(self, ending: Ending) -> None:
        """Look no more. Does not wait: a driver that hangs must not delay the end."""
        self._over.set()
        self._worker.stop()

    def state(self) -> Heat:
        return self.heat

    def words(self) -> str:
        """Why it is slower than it could be."""
        heat = self.heat
        found = [f"at most {heat.max_fps:.1f} fps because of heat{_at(heat)}"] if heat.max_fps else []
        found += [each for each in heat.hindrances if each in ("under-voltage", "soft temperature limit")]
        return ", ".join(found)

    def figures(self) -> Iterator[Figure]:
        heat = self.heat
        if heat.celsius is not None:
            yield Figure.of("vitcam_temperature_celsius", "Of the hottest sensor.", heat.celsius)
        yield Figure.of("vitcam_heat_limited", "1: heat limits the rate.", heat.max_fps > 0)
        hindered: dict[tuple[str, ...], float] = {(cause,): 1.0 for cause in heat.hindrances}
        yield Figure("vitcam_hindered", "1: the processor is slowed by this.", hindered, labels=("cause",))

    def entities(self) -> tuple[Entity, ...]:
        """The temperature, once a sensor was read: one that cannot be read for a while is still there."""
        return (TEMPERATURE,) if self._has_sensor else ()

    def look(self, now_s: float, progress: Progress) -> None:
        """Read the sensors once, and set the limits that follow. now_s is monotonic time, in s."""
        celsius, firmware = self._machine.hottest_celsius(), self._machine.hindrances(by_command=False)
        now, since_boot = firmware or ([], [])
        self._has_sensor |= celsius is not None
        self.heat = replace(
            self.heat,
            celsius=celsius,
            hindrances=tuple(now),
            since_boot=tuple(since_boot),
        )
        if self._rules is not None:
            self._govern(
                self._rules, HeatReading(now_s, celsius, is_slowed(now, celsius), *self._pace(now_s, progress))
            )
        self._log_power(now_s)
        self.heat = replace(self.heat, advice=advice_for(self.heat))

    def _govern(self, rules: GovernorRules, reading: HeatReading) -> None:
        before, after = self._governor, step(rules, self._governor, reading)
        self._governor = after
        self._limits.max_fps, self._limits.threads = round(after.max_fps, 2), after.threads
        self.heat = replace(
            self.heat,
            limit_celsius=round(min(after.limit_celsius, rules.limit_celsius), 1),
            max_fps=round(after.max_fps, 2),
            threads=after.threads,
        )
        if (before.max_fps, before.threads) != (after.max_fps, after.threads):
            log.info("%s", step_sentence(self.heat))

    def _pace(self, now_s: float, progress: Progress) -> tuple[float, float]:
        """Frames classified/s since the last look, and the time of an inference in ms."""
        (then_s, count), self._before = self._before, (now_s, progress.classified)
        return max(0, progress.classified - count) / max(now_s - then_s, 1e-3), progress.infer_ms

    def _log_power(self, now_s: float) -> None:
        if "under-voltage" in self.heat.hindrances and now_s - self._power_logged_s >= POWER_LOG_EVERY_S:
            self._power_logged_s = now_s
            log.warning("%s", advice_for(replace(self.heat, max_fps=0.0, threads=0)))

    def _run(self) -> None:
        while not self._over.wait(LOOK_EVERY_S):
            self._worker.beat()
            self.look(time.monotonic(), self._pipeline.progress())


def make(run: Run) -> list[object]:
    """The watch, also where nothing is limited: temperature and power are shown."""
    settings = run.settings[HeatSettings]
    limit = settings.limit or (PI_LIMIT if run.machine.is_pi else 0.0)
    threads = run.model.value.classifier.runtime.threads
    rules = GovernorRules(limit, threads) if settings.enabled and limit else None
    return [HeatWatch(run.machine, rules, run.pipeline.limits, run.pipeline)]


def is_slowed(hindrances: list[str], celsius: float | None) -> bool:
    """Whether the firmware slows the processor because it is hot, and not because the supply is weak."""
    hot = celsius is not None and celsius >= SLOWED_FROM
    return "soft temperature limit" in hindrances or (
        hot and "throttled" in hindrances and "under-voltage" not in hindrances
    )


def advice_for(heat: Heat) -> str:
    """What is wrong and what helps, in full sentences; empty while all is well."""
    found = []
    if "under-voltage" in heat.hindrances:
        found.append(_WEAK)
    if "soft temperature limit" in heat.hindrances:
        found.append(_SLOWED.format(at=_at(heat)))
    elif heat.max_fps:
        found.append(_LIMITED.format(at=_at(heat), most=_most(heat)))
    return " ".join(found)


def step_sentence(heat: Heat) -> str:
    """One line of the log for a change of the limits."""
    if not heat.max_fps:
        return f"the processor is cool enough{_at(heat)}: the rate is not limited any more"
    here = "too hot" if heat.celsius is None else f"at {heat.celsius:.0f} °C"
    return f"the processor is {here}, its limit is {heat.limit_celsius:g} °C: {_most(heat)} are classified"


def _at(heat: Heat) -> str:
    return "" if heat.celsius is None else f" ({heat.celsius:.0f} °C)"


def _most(heat: Heat) -> str:
    threads = f" with {heat.threads} thread{'s' if heat.threads > 1 else ''}" if heat.threads else ""
    return f"at most {heat.max_fps:.1f} frames/s{threads}"
