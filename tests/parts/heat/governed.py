"""The governor in charge of a simulated Pi, for some simulated hours."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.thermal import CAMERA_FPS, CORES, LIMIT, SimulatedPi, fps_of, infer_ms_of, power_of
from vitcam.parts.heat.governor import GovernorRules, GovernorState, HeatReading, step
from vitcam.parts.heat.watch import LOOK_EVERY_S

RULES = GovernorRules(LIMIT, CORES)
Sensor = Callable[[int, float], float | None]


@dataclass
class Run:
    """What happened."""

    frames: float = 0.0
    seconds: int = 0
    slowed_s: list[int] = field(default_factory=list)
    """The seconds in which the firmware slowed the processor."""
    steps_s: list[int] = field(default_factory=list)
    """The seconds in which a limit changed."""
    state: GovernorState = field(default_factory=GovernorState)

    @property
    def fps(self) -> float:
        return self.frames / self.seconds

    def most_steps_in_an_hour(self, begin_s: int = 0) -> int:
        late = [at for at in self.steps_s if at >= begin_s]
        return max((sum(at <= other < at + 3600 for other in late) for at in late), default=0)


def as_it_is(_: int, celsius: float) -> float | None:
    """A sensor that works."""
    return celsius


def governed(
    pi: SimulatedPi,
    hours: float,
    sensor: Sensor = as_it_is,
    each_second: Callable[[SimulatedPi, int], None] = lambda pi, second: None,
) -> Run:
    """Let the governor run the Pi: what its sensor says is changed by `sensor` first."""
    run = Run()
    for second in range(round(hours * 3600)):
        each_second(pi, second)
        threads = run.state.threads or CORES
        fps = min(fps_of(threads), run.state.max_fps or CAMERA_FPS)
        pi.run(power_of(fps, threads))
        run.frames += fps
        if pi.slowed:
            run.slowed_s.append(second)
        if second % LOOK_EVERY_S == 0:
            reading = HeatReading(float(second), sensor(second, pi.sensor()), pi.slowed, fps, infer_ms_of(threads))
            after = step(RULES, run.state, reading)
            if (after.max_fps, after.threads) != (run.state.max_fps, run.state.threads):
                run.steps_s.append(second)
            run.state = after
    run.seconds = round(hours * 3600)
    return run
