from pathlib import Path

from vitcam_training.fit.logs import COLUMNS
from vitcam_training.plots import draw_curves

LINES = ["1,2.3,0.2,1.5,0.5,0.001,3", "2,1.1,0.7,0.4,0.9125,0.0005,3"]


def test_the_curves_of_a_log_are_drawn_the_same_every_time(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("\n".join([",".join(COLUMNS), *LINES]) + "\n")
    for name in ("one.svg", "two.svg"):
        draw_curves([log], tmp_path / name)
    drawn = (tmp_path / "one.svg").read_text()

    assert (tmp_path / "two.svg").read_text() == drawn
    for text in ("epoch", "cross-entropy", "right answers, %", "training, as trained", "test: 91.25% after"):
        assert text in drawn


def test_the_epochs_of_all_stages_are_counted_on(tmp_path: Path) -> None:
    logs = [tmp_path / "stage1.csv", tmp_path / "log.csv"]
    for log in logs:
        log.write_text("\n".join([",".join(COLUMNS), *LINES]) + "\n")
    draw_curves(logs, tmp_path / "curves.svg")

    assert ">4.0<" in (tmp_path / "curves.svg").read_text() or ">4<" in (tmp_path / "curves.svg").read_text()
