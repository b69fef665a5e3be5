"""How long a run is said to take yet, on a clock that is only counted: true after two minutes, and at the end."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from vitcam_training.config import ViTConfig
from vitcam_training.fit.remaining import Remaining, StageWork, photo_cost

pytestmark = pytest.mark.slow("training/fit", "training/vit.py")

SMALL, LARGE = photo_cost(ViTConfig(10, (96, 96))), photo_cost(ViTConfig(10, (224, 224)))
ONE = StageWork(epochs=15, steps=90, photos=16, scored=400, cost=LARGE)


@dataclass(frozen=True)
class Machine:
    """What things take, in seconds."""

    photo: float = 0.03
    """Of a step, at 224 px."""
    compiling: float = 40.0
    scoring: float = 0.012
    saving: float = 1.5
    slow_every: int = 7
    """One step of so many takes twice as long: something else runs."""

    def run(self, stages: list[StageWork], skip: int = 0) -> Iterator[tuple[float, float | None]]:
        """The seconds since the start, and those that are said to be left, after every step and scored batch.

        skip  steps of the first stage that an earlier call did
        """
        now = 0.0
        for number, stage in enumerate(stages):
            remaining, size = Remaining(stage, stages[number + 1 :], now), stage.cost / LARGE
            first_score = True
            for done in range(skip + 1, stage.epochs * stage.steps + 1):
                now += stage.photos * self.photo * size * (2 if done % self.slow_every == 0 else 1)
                now += self.compiling if done == skip + 1 else 0
                remaining.stepped(now)
                yield now, remaining.left_s(done, now)
                epoch = done // stage.steps
                if done % stage.steps == 0:
                    if epoch % stage.score_every == 0 or epoch == stage.epochs:
                        for _ in range(0, stage.scored, 20):
                            now += 20 * self.scoring * size + (self.compiling / 4 if first_score else 0)
                            first_score = False
                            remaining.scored(20, now)
                            yield now, remaining.left_s(done, now)
                    now += self.saving
                    remaining.epoch_ended(now)
            skip = 0


CASES = {
    "one stage": [ONE],
    "scored every fifth epoch": [replace(ONE, score_every=5, scored=4000)],
    "scoring takes longer than training": [replace(ONE, steps=10, scored=1000, epochs=40)],
    "two stages, the second four times as costly": [replace(ONE, cost=SMALL, epochs=30, steps=200), ONE],
    "few long epochs": [replace(ONE, epochs=3, steps=1200)],
}


@pytest.mark.parametrize("stages", CASES.values(), ids=CASES)
@pytest.mark.parametrize("skip", [0, 60])
@pytest.mark.parametrize("compiling", [2.0, 40.0])
def test_after_two_minutes_what_is_left_is_true_within_a_fifth(
    stages: list[StageWork], skip: int, compiling: float
) -> None:
    told = list(Machine(compiling=compiling).run(stages, skip))
    end = told[-1][0]

    assert end > 300
    assert sum(left is None for _, left in told) == len(stages), "after the first step of each"
    for now, left in told:
        if left is not None and now >= 120 and end - now > 20:
            assert left == pytest.approx(end - now, rel=0.2), f"after {now:.0f} of {end:.0f} s"


def test_nothing_is_said_before_a_step_was_measured_that_did_not_compile() -> None:
    told = [left for _, left in Machine().run([ONE])]

    assert told[0] is None
    assert told[1] is not None
    assert told[-1] is not None
    assert told[-1] < 5


def test_a_step_that_takes_long_is_not_counted_twice() -> None:
    remaining = Remaining(replace(ONE, scored=0), (), 0.0)
    remaining.stepped(10.0)
    remaining.stepped(11.0)
    told = [remaining.left_s(2, 11.0 + waited) for waited in (0.0, 0.5, 1.0, 60.0)]

    assert told == pytest.approx([1348.0, 1347.5, 1347.0, 1347.0])
