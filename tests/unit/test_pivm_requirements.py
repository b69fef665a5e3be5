"""What is packed for the emulated machine: the product's own requirements, as the machine's Python reads them."""

import tomllib

from packaging.requirements import Requirement

from tests.pivm.requirements import PYPROJECT, requirements

CHOICE = {
    "project": {
        "dependencies": ["old<2; python_version < '3.13'", "new>=5; python_version >= '3.13'", "bounded>=0.16,<0.29"]
    }
}


def test_conditions_are_read_by_the_named_python() -> None:
    assert list(requirements(CHOICE, "3.13")) == ["new>=5", "bounded<0.29,>=0.16"]
    assert list(requirements(CHOICE, "3.11")) == ["old<2", "bounded<0.29,>=0.16"]


def test_everything_the_product_needs_is_packed_with_its_bounds() -> None:
    packed = {Requirement(line) for line in requirements(tomllib.loads(PYPROJECT.read_text()), "3.13")}

    assert {each.name for each in packed} >= {"ai-edge-litert", "opencv-python-headless", "aiohttp", "typer", "rich"}
    assert all(each.specifier for each in packed)
