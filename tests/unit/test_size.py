"""What `python -m tests.size` counts."""

import pytest

from tests.size.cycles import circles
from tests.size.trees import ROOT, parts, read_tree

TREE = {
    "vitcam/__init__.py": '"""One line."""\n',
    "vitcam/a.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from vitcam.b import B\n",
    "vitcam/b.py": "from vitcam import a\n",
    "vitcam/c.py": "def f():\n    from vitcam.d import g\n",
    "vitcam/d.py": "import vitcam.c\n",
    "vitcam/e.py": "import json\n" * 51,
    "training/study/one.py": "x = 1\n" * 7,
    "tests/test_a.py": "x = 1\n" * 3,
}


def test_circles_are_found_also_where_only_a_type_checker_goes_round() -> None:
    assert circles(TREE, lazy=False) == [["vitcam.a", "vitcam.b"]]


def test_imports_within_functions_count_where_they_are_asked_for() -> None:
    assert circles(TREE, lazy=True) == [["vitcam.a", "vitcam.b"], ["vitcam.c", "vitcam.d"]]


def test_lines_and_small_files_are_counted_by_part() -> None:
    found = parts(TREE)

    assert (found["— vitcam"].files, found["— vitcam"].lines) == (6, 1 + 3 + 1 + 2 + 1 + 51)
    assert (found["— vitcam"].small, found["— vitcam"].smallest) == (2, 3)
    assert (found["study, not installed"].lines, found["installed: vitcam and training"].files) == (7, 6)
    assert found["tests"].lines == 3


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout of git")
def test_a_commit_and_the_files_of_now_are_read_alike() -> None:
    now, before = read_tree(None), read_tree("HEAD")

    assert "tests/unit/test_size.py" in now
    assert before["vitcam/__main__.py"].startswith('"""')
