"""A study refuses what cannot be run in one sentence, before it runs anything."""

from importlib import import_module
from pathlib import Path

import pytest

from vitcam_training.study.program import start


@pytest.mark.parametrize(
    ("study", "arguments", "named"),
    [
        ("ablation", ["--rows", "rleu"], "'rleu'"),
        ("ablation", ["--seeds", "1"], "2 to 10"),
        ("ablation", ["absent"], "'absent'"),
        ("mistakes", ["--rows", "strip"], "'strip'"),
        ("mistakes", ["--seeds", "1"], "2 to 10"),
        ("inductive_bias", ["--only", "shfit"], "'shfit'"),
        ("faithfulness", ["mnist", "--data", "absent"], "'absent'"),
        ("quantisation", ["absent.safetensors", "--data", "absent"], "'absent'"),
    ],
)
def test_bad_input_of_a_study_is_answered_with_one_sentence_and_exit_code_two(
    study: str,
    arguments: list[str],
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [study, *arguments])

    with pytest.raises(SystemExit) as ended:
        start(import_module(f"vitcam_training.study.{study}.__main__").app, study)

    said = capsys.readouterr()
    assert ended.value.code == 2
    assert said.err.startswith(f"{study}: ")
    assert named in said.err
    assert len(said.err.splitlines()) == 1
    assert said.out == ""
