"""A Raspberry Pi 5 as a thermal model: power by frames/s and threads, two heat capacities, fan, firmware and sensor.

The figures are those of the Raspberry Pi documentation ("Cooling Raspberry Pi 5"): with the Active Cooler 45 °C idle
and 60 to 63 °C under full load; in the official case 48 °C and 74 °C; without a cooler above 85 °C under load. The
steps of the fan and its hysteresis are from there, too, and 80 °C, where the cores are slowed. Figures of a Pi that was
measured here they are not. One simulated hour takes some 20 ms.
"""

import random
from dataclasses import dataclass

LIMIT = 80.0
FULL_W, IDLE_W = 7.0, 2.7
CORES = 3
_FAN_ON = (50.0, 60.0, 67.5, 75.0)
_FAN_HYSTERESIS = 5.0
_DIE_JK, _DIE_KW = 4.0, 1.5  # J/K of the chip; K/W from there to the board or heat sink
QUANTUM, NOISE = 0.55, 0.5  # K; of the sensor
CORE_MS = 60.0  # of one frame on one core
_OVERHEAD = {1: 1.0, 2: 1.32, 3: 1.5}  # time of all cores for one frame, relative to one thread
_SPEED_UP = 0.83  # N threads are N ** this times as fast
CAMERA_FPS = 30.0


@dataclass(frozen=True, slots=True)
class Cooling:
    """From board or heat sink to the air, in K/W for each step of the fan, from standing still to full speed."""

    name: str
    kelvin_per_watt: tuple[float, ...]
    capacity_jk: float


NONE = Cooling("no cooler", (8.7,) * 5, 25.0)
CASE = Cooling("case with fan", (8.1, 7.0, 6.4, 6.0, 5.6), 60.0)
COOLER = Cooling("Active Cooler", (7.0, 4.0, 3.2, 2.7, 2.3), 90.0)


def fps_of(threads: int) -> float:
    """What the model does without a limit."""
    return min(CAMERA_FPS, 1000 / infer_ms_of(threads))


def infer_ms_of(threads: int) -> float:
    """Of one frame."""
    return CORE_MS / float(threads**_SPEED_UP)


def power_of(fps: float, threads: int) -> float:
    """In W."""
    cores = fps * CORE_MS * _OVERHEAD[threads] / 1000
    return IDLE_W + (FULL_W - IDLE_W) * cores / CORES


class SimulatedPi:
    """Begins at rest, in balance with the air."""

    limit = LIMIT
    """From here on the firmware slows the cores, in °C."""

    def __init__(self, cooling: Cooling, ambient: float, seed: int = 0) -> None:
        self.cooling, self.ambient = cooling, ambient
        self.fan = 0
        self.board = ambient + IDLE_W * cooling.kelvin_per_watt[0]
        self.die = self.board + IDLE_W * _DIE_KW
        self.slowed = False
        self._random = random.Random(seed)

    def run(self, watts: float, seconds: float = 1.0) -> None:
        """Let time pass; the firmware looks at the sensor once a second, as anybody does."""
        to_board = (self.die - self.board) / _DIE_KW
        to_air = (self.board - self.ambient) / self.cooling.kelvin_per_watt[self.fan]
        self.die += (watts - to_board) / _DIE_JK * seconds
        self.board += (to_board - to_air) / self.cooling.capacity_jk * seconds
        if self.fan < 4 and self.die >= _FAN_ON[self.fan]:
            self.fan += 1
        elif self.fan and self.die < _FAN_ON[self.fan - 1] - _FAN_HYSTERESIS:
            self.fan -= 1
        self.slowed = self.sensor() >= self.limit

    def sensor(self) -> float:
        """A reading of the chip's sensor, in °C."""
        noisy = self.die + self._random.uniform(-NOISE, NOISE)
        return round(noisy / QUANTUM) * QUANTUM


def highest_steady(cooling: Cooling, ambient: float, watts: float) -> float:
    """The chip's highest temperature with constant power from the start on, in °C."""
    pi = SimulatedPi(cooling, ambient)
    highest = pi.die
    for _ in range(3600 // 2):
        pi.run(watts, 2.0)
        highest = max(highest, pi.die)
    return highest


def best_constant_fps(cooling: Cooling, ambient: float) -> float:
    """The highest rate that, kept from the start on, never lets the firmware slow the processor: by bisection."""
    allowed = LIMIT - NOISE - QUANTUM / 2

    def is_cool(fps: float, threads: int) -> bool:
        return highest_steady(cooling, ambient, power_of(fps, threads)) < allowed

    best = 0.0
    for threads in _OVERHEAD:
        low, high = 0.0, fps_of(threads)
        if is_cool(high, threads):
            low = high
        while high - low > 0.05:
            middle = (low + high) / 2
            low, high = (middle, high) if is_cool(middle, threads) else (low, middle)
        best = max(best, low)
    return best
