"""Public functions that take or return arrays say in their docstrings what shapes the arrays have."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ARRAY = re.compile(r"\b(NDArray|ndarray|Image|Floats|Vector|Weights|Grid)\b")
"""Names of array types in annotations."""
SHAPE = re.compile(r"\((?:[\w*+/ …-]|\([\w*+/ …-]*\))+,[^()]*\)")
"""Such as (H, W, 3) or (D,)."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def public_functions(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Functions and methods whose names, and those of their classes, do not begin with an underscore."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, Function) and not node.name.startswith("_"):
            yield f"{prefix}{node.name}", node


def has_array(function: Function) -> bool:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    annotations = [function.returns, *(each.annotation for each in every if each is not None)]
    return any(each is not None and ARRAY.search(ast.unparse(each)) for each in annotations)


def without_shapes(path: Path) -> list[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return [
        f"{path.relative_to(ROOT)}:{function.lineno} {name}"
        for name, function in public_functions(tree.body)
        if has_array(function) and not SHAPE.search(ast.get_docstring(function) or "")
    ]


@pytest.mark.parametrize("package", ["vitcam"])
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
    arrays = {name: function for name, function in public_functions(tree.body) if has_array(function)}

    assert list(arrays) == ["bare", "told", "Tool.bare"]
    assert [name for name, each in arrays.items() if SHAPE.search(ast.get_docstring(each) or "")] == ["told"]
