"""Public functions that take or return arrays say in their docstrings what shapes the arrays have."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ARRAY = re.compile(r"\b(NDArray|ndarray|Images?|Floats|Vector|Weights|Grid|Arrays?|Tensor|Thumbnails|Batch|Scores)\b")
"""Names of array types in annotations."""
SHAPE = re.compile(r"\((?:[\w*+/ .…-]|\([\w*+/ …-]*\))+,[^()]*\)")
"""Such as (H, W, 3) or (D,)."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def public_functions(tree: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, Function, str]]:
    """Functions and methods whose names, and those of their classes, do not begin with an underscore; their docstrings.

    The `call` of a Keras layer is described by the docstring of its class.
    """
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, Function) and not node.name.startswith("_"):
            described = tree if node.name == "call" else node
            yield f"{prefix}{node.name}", node, ast.get_docstring(described) or ""


def has_array(function: Function) -> bool:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    annotations = [function.returns, *(each.annotation for each in every if each is not None)]
    return any(each is not None and ARRAY.search(ast.unparse(each)) for each in annotations)


def without_shapes(path: Path) -> list[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return [
        f"{path.relative_to(ROOT)}:{function.lineno} {name}"
        for name, function, docstring in public_functions(tree)
        if has_array(function) and not SHAPE.search(docstring)
    ]


@pytest.mark.parametrize("package", ["vitcam", "training"])
def test_a_public_function_of_arrays_gives_their_shapes(package: str) -> None:
    missing = [found for path in sorted((ROOT / package).rglob("*.py")) for found in without_shapes(path)]

    assert not missing, "\n".join(missing)


def test_the_search_finds_a_function_without_shapes_and_accepts_one_with_them(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text(
        "def bare(image: Image) -> None: ...\n"
        "def told(image: Image) -> None:\n    'image  (H, W, 3) uint8, RGB'\n"
        "def _own(image: Image) -> None: ...\n"
        "class Tool:\n    def bare(self) -> NDArray[np.float32]:\n        'A map.'\n"
    )
    tree = ast.parse((tmp_path / "x.py").read_text())
    arrays = {name: docstring for name, function, docstring in public_functions(tree) if has_array(function)}

    assert list(arrays) == ["bare", "told", "Tool.bare"]
    assert [name for name, docstring in arrays.items() if SHAPE.search(docstring)] == ["told"]
