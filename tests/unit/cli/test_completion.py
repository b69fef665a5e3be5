"""A shell completes verbs, options, models and sources; neither that nor `--help` loads what is heavy."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vitcam.cli import VERBS
from vitcam.parts import PARTS

HEAVY = {"cv2", "numpy", "aiohttp", "ai_edge_litert", "tflite_runtime", "asyncio"}
RUN = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
sys.argv[0] = "vitcam"
from vitcam.cli import main
main()
"""
HELP = """
import json, sys
from contextlib import suppress
from vitcam.cli import main
loaded = {}
for verb in sys.argv[1:]:
    sys.argv[:] = ["vitcam", *verb.split(), "--help"]
    with suppress(SystemExit):
        main()
    loaded[verb] = list(sys.modules)
print(json.dumps(loaded), file=sys.stderr)
"""
"""Asks for the help of one verb after the other: what the first one loads is loaded for all that follow."""


def ended(*arguments: str, **environment: str) -> tuple[str, set[str]]:
    """What `vitcam` printed, and the modules that it had loaded at its end."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout, set(json.loads(done.stderr.splitlines()[-1]))


def completed(*words: str, **environment: str) -> tuple[list[str], set[str]]:
    """What bash would offer for the last word, and the modules that were loaded."""
    typed = {"COMP_WORDS": " ".join(("vitcam", *words)), "COMP_CWORD": str(len(words))}
    out, modules = ended(_VITCAM_COMPLETE="complete_bash", **typed, **environment)
    return out.split(), modules


def test_a_verb_is_completed() -> None:
    found, of_parts = completed("")[0], {verb for part in PARTS for verb in part.verbs if " " not in verb}

    assert [verb for verb in found if verb in VERBS] == [*VERBS]
    assert {*found} == {*VERBS, *of_parts}
    assert all(found.index(part.after) < found.index(verb) for part in PARTS if part.after for verb in part.verbs)
    assert completed("do")[0] == ["doctor"]


def test_a_model_is_completed_from_the_installed_ones_and_those_of_the_user(tmp_path: Path) -> None:
    folder = tmp_path / "vitcam" / "models"
    folder.mkdir(parents=True)
    shutil.copy(Path(__file__).parents[3] / "models" / "mnist.tflite", folder / "even.tflite")

    for words in (("run", "--model", "ev"), ("models", "show", "ev"), ("replay", "-m", "ev")):
        assert completed(*words, XDG_DATA_HOME=str(tmp_path))[0] == ["even", "everyday"]


def test_a_source_is_completed_and_a_file_is_left_to_the_shell() -> None:
    assert completed("run", "--source", "de")[0] == ["demo"]
    assert completed("run", "--source", "./photos")[0] == []
    assert completed("classify", "ph")[0] == []


@pytest.mark.parametrize("words", [("",), ("run", "--"), ("run", "--model", ""), ("run", "--source", "")], ids=" ".join)
def test_completing_loads_nothing_heavy(words: tuple[str, ...]) -> None:
    assert not HEAVY & completed(*words)[1]


def test_the_help_of_no_verb_loads_anything_heavy() -> None:
    words = [sys.executable, "-c", HELP, "", *VERBS]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    loaded = json.loads(done.stderr.splitlines()[-1])

    assert [*loaded] == ["", *VERBS]
    assert {verb: heavy for verb, modules in loaded.items() if (heavy := HEAVY.intersection(modules))} == {}


def test_a_verb_loads_no_other_verbs_module() -> None:
    modules = ended("run", "--help")[1]

    assert {f"vitcam.cli.{verb}" for verb in VERBS} & modules == {"vitcam.cli.run"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script_that_asks_vitcam(shell: str) -> None:
    assert f"_VITCAM_COMPLETE=complete_{shell}" in ended(_VITCAM_COMPLETE=f"source_{shell}")[0]
