"""What the study refuses before it begins."""

import sys

import pytest

from vitcam_training.cli import run
from vitcam_training.study.teaching.__main__ import app


def test_without_scikit_learn_it_says_what_to_install_before_it_opens_the_model(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setattr("sys.argv", ["teaching", "--base", "no-such-model"])
    with pytest.raises(SystemExit) as end:
        run(app, "teaching")

    assert end.value.code == 1
    assert "pip install 'scikit-learn'" in capsys.readouterr().err
