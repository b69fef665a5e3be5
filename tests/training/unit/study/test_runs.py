"""The processes of a study's trainings."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from vitcam_training.study.runs import side_by_side


@dataclass(frozen=True)
class Group:
    """The process group of a run."""

    number: int


@dataclass(frozen=True)
class OneRun:
    """A job that `work` does."""

    name: str = "one"
    words: tuple[str, ...] = ()


def work(folder: str) -> Group:
    """What each run does in its process."""
    assert Path(folder).is_dir()
    return Group(os.getpgrp())


def test_ctrl_c_goes_to_the_study_alone_which_lets_its_runs_save(tmp_path: Path) -> None:
    """A run that was interrupted twice would stop at once, without saving."""
    ((_, found),) = side_by_side([OneRun()], __name__, tmp_path)

    assert found["number"] != os.getpgrp()
