"""Which pages were measured on a model that no longer ships."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.unit.docs.pages import ROOT, STUDIES

PROGRAM = ROOT / "docs" / "measured.py"
RECORD = json.loads((ROOT / "docs" / "measured.json").read_text("utf-8"))


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program, with pages of its own: one speaks of the model that ships, one of another, one of none."""
    spec = importlib.util.spec_from_file_location("measured", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "measured", module)
    spec.loader.exec_module(module)
    pages = {
        "fresh.md": {"true": {"mnist": module.fingerprint("mnist")}},
        "old.md": {"true answers": {"mnist": "0123456789ab"}, "true speed": {"mnist": "0123456789ab"}},
        "peers.md": {"false": {}},
    }
    record = tmp_path / "measured.json"
    record.write_text(json.dumps(pages))
    monkeypatch.setattr(module, "RECORD", record)
    return module


def test_every_page_that_a_command_writes_is_listed_and_every_listed_page_is_there() -> None:
    assert {str(page.relative_to(ROOT)) for page in STUDIES} <= set(RECORD)
    assert not [page for page in RECORD if not (ROOT / page).is_file()]


def test_every_figure_of_the_readme_is_measured_by_the_command_beside_it() -> None:
    text = (ROOT / "README.md").read_text("utf-8")

    assert not [command for command in RECORD["README.md"] if f"`{command}` |" not in text]


@pytest.mark.parametrize(("option", "code"), [("--check", 0), ("--strict", 1)])
def test_a_page_that_speaks_of_another_model_is_a_warning_or_an_error(
    measured: ModuleType, capsys: pytest.CaptureFixture[str], option: str, code: int
) -> None:
    assert measured.main([option]) == code

    told = capsys.readouterr().err
    assert "old.md" in told
    assert "mnist" in told
    assert "fresh.md" not in told
    assert "peers.md" not in told


def test_a_page_that_was_measured_again_is_fresh(measured: ModuleType) -> None:
    assert measured.main(["old.md"]) == 0
    assert measured.main(["--strict"]) == 0
