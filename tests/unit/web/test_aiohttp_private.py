"""What is used of aiohttp's inside: all of it is listed, there, and bounded."""

import ast
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import aiohttp
import pytest
from packaging.requirements import Requirement

import vitcam
from vitcam.web.requests.connection import PRIVATE

ROOT = Path(vitcam.__file__).parent
LISTED = {name for names in PRIVATE.values() for name in names}
PYPROJECT = ROOT.parent / "pyproject.toml"


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def aiohttps_own() -> set[str]:
    """The private names in the modules that a server is made of."""
    sources = [path.read_text() for path in Path(aiohttp.__file__).parent.glob("web*.py")]
    nodes = [node for source in sources for node in ast.walk(ast.parse(source))]
    return {node.attr for node in nodes if isinstance(node, ast.Attribute) and is_private(node.attr)}


def used_privately(tree: ast.Module) -> Iterator[str]:
    """Private names of another object, and those of a class's base that the class itself does not define."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
                yield node.attr
        elif isinstance(node, ast.ClassDef) and any("web." in ast.unparse(base) for base in node.bases):
            own = {ast.unparse(each.target) for each in node.body if isinstance(each, ast.AnnAssign)}
            own |= {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
            stored = [each for each in ast.walk(node) if isinstance(each, ast.Attribute)]
            own |= {each.attr for each in stored if isinstance(each.ctx, ast.Store)}
            names = [each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)]
            names += [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
            yield from (name for name in names if is_private(name) and name not in own)


def test_every_private_name_of_aiohttp_that_is_used_is_listed() -> None:
    used = {
        name: str(path.relative_to(ROOT))
        for path in sorted((ROOT / "web").rglob("*.py"))
        for name in used_privately(ast.parse(path.read_text()))
    }
    of_aiohttp = aiohttps_own()

    assert {name: path for name, path in used.items() if name in of_aiohttp - LISTED} == {}
    assert used.keys() >= LISTED  # what is not used any more leaves the list


@pytest.mark.parametrize(("part", "name"), [(part, name) for part, names in PRIVATE.items() for name in names])
def test_the_installed_aiohttp_has_each_private_name(part: type, name: str) -> None:
    assert hasattr(part, name), f"aiohttp {version('aiohttp')} has no {part.__name__}.{name} any more"


def test_the_release_of_aiohttp_is_bounded_on_both_sides() -> None:
    wanted = [Requirement(each) for each in tomllib.loads(PYPROJECT.read_text())["project"]["dependencies"]]
    bounds = next(each.specifier for each in wanted if each.name == "aiohttp")

    assert {bound.operator for bound in bounds} == {">=", "<"}
    assert aiohttp.__version__ in bounds or "newest" in aiohttp.__file__
