"""docs/study/notebook.ipynb has the cells that its sources make, and is small enough to be read on the web."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.docs.test_links import leads_somewhere

ROOT = Path(__file__).parents[3]
NOTEBOOK = ROOT / "docs" / "study" / "notebook.ipynb"
LARGEST = 2_000_000


def check(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "docs" / "generate_notebook.py"), "--check"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The notebook, its generator and what it is made of, to be spoilt."""
    pages = (f"docs/study/{name}" for name in ("notebook.ipynb", "notebook/cells.md", "concepts.md"))
    for name in (*pages, "docs/generate_notebook.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    return tmp_path


def test_the_committed_notebook_has_the_cells_that_would_be_made() -> None:
    checked = check(ROOT)

    assert checked.stderr == ""
    assert checked.returncode == 0


def test_a_changed_equation_makes_the_notebook_stale(copy: Path) -> None:
    page = copy / "docs" / "study" / "concepts.md"
    page.write_text(page.read_text("utf-8").replace("math.sqrt(q.shape[-1])", "math.sqrt(1.0)"), "utf-8")
    checked = check(copy)

    assert checked.returncode == 1
    assert "run python docs/generate_notebook.py" in checked.stderr


def test_a_section_that_the_page_lost_is_refused_by_name(copy: Path) -> None:
    page = copy / "docs" / "study" / "concepts.md"
    page.write_text(page.read_text("utf-8").replace("### Rollout\n", "### Renamed\n"), "utf-8")
    checked = check(copy)

    assert checked.returncode == 1
    assert "'Rollout'" in checked.stderr
    assert "Traceback" not in checked.stderr


def test_the_links_of_the_notebook_lead_somewhere() -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]

    assert len(links) > 5
    assert not [link for link in links if not leads_somewhere(NOTEBOOK, link)]


def test_the_notebook_carries_its_pictures_and_stays_small() -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    pictures = [output for output in outputs if "image/jpeg" in output.get("data", {})]

    assert len(pictures) >= 8
    assert NOTEBOOK.stat().st_size < LARGEST
