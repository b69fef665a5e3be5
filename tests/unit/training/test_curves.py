from pathlib import Path

from vitcam_training.curves import draw_curves
from vitcam_training.fit import COLUMNS

LINES = ["1,2.3,0.2,1.5,0.5,0.001,3", "2,1.1,0.7,0.4,0.9125,0.0005,3"]


def test_the_curves_of_a_log_are_drawn_the_same_every_time(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("\n".join([",".join(COLUMNS), *LINES]) + "\n")
    for name in ("one.svg", "two.svg"):
        draw_curves(log, tmp_path / name)
    drawn = (tmp_path / "one.svg").read_text()

    assert (tmp_path / "two.svg").read_text() == drawn
    for text in ("epoch", "cross-entropy", "right answers, %", "training, as trained", "test: 91.25% after"):
        assert text in drawn
