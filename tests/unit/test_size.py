"""What `python -m tests.size` counts."""

import pytest

from tests.size.cycles import circles
from tests.size.protocols import of_one_class
from tests.size.trees import ROOT, Part, logical_lines, parts, read_tree

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


def test_lines_are_counted_by_part_and_logical_ones_whatever_their_shape() -> None:
    found = parts(TREE)

    assert (found["vitcam"].files, found["vitcam"].lines) == (6, 1 + 3 + 1 + 2 + 1 + 51)
    assert (found["studies"].lines, found["training without studies"].lines) == (7, 0)
    assert found["tests, benches and fuzz"] == Part(1, 3, 3)
    assert logical_lines("a = (\n    1,  # one\n    2,\n)\n\n# nothing\nif a: b()\n") == 2


def test_a_protocol_counts_that_only_one_class_can_stand_for() -> None:
    tree = {
        "vitcam/a.py": "class Sink(Protocol):\n    name: str\n    def close(self): ...\n"
        "class Watched(Protocol):\n    def close(self): ...\n"
        "class Called(Protocol):\n    def __call__(self): ...\n",
        "vitcam/b.py": "class Base:\n    def close(self):\n        self.name = 1\nclass File(Base): ...\n",
        "vitcam/c.py": "class Other:\n    name = 2\nclass Both(Other):\n    def close(self): ...\n",
        "vitcam/d.py": "class Choice(Protocol):\n    def use(self): ...\nclass Chosen:\n    def use(self): ...\n",
    }

    assert of_one_class(tree) == {"Choice": "Chosen"}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout of git")
def test_a_commit_and_the_files_of_now_are_read_alike() -> None:
    now, before = read_tree(None), read_tree("HEAD")

    assert "tests/unit/test_size.py" in now
    assert before["vitcam/__main__.py"].startswith('"""')
