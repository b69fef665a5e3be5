"""What pyproject.toml cannot say by itself: which packages there are, and what a package's description links to.

A description has no repository around it. Links of README.md are absolute there, and `project.urls` are made from the
same address: `home` of [tool.vitcam] in pyproject.toml. While that is empty, links are left out, and so are the
addresses. `vitcam service upgrade` of 0.1.0 builds without this file: setuptools then finds the packages in
`package-dir`, the studies among them, and links stay as they are.
"""

import re
import runpy
import tomllib
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.egg_info import egg_info

ROOT = Path(__file__).parent
LINK = re.compile(r"(!?)\[((?:[^][]|\[[^]]*\])*)\]\(([^)\s]+)\)")
"""In Markdown: a picture's mark, the text, the target."""


def packages(root: Path) -> list[str]:
    """All packages that are installed: a folder with an `__init__.py` is found, and needs no line anywhere.

    `training/` is `vitcam_training`; its studies are run in a checkout. Models and units become packages by
    `package-dir` of pyproject.toml.
    """
    daemon = find_packages(str(root), include=["vitcam", "vitcam.*"])
    training = find_packages(str(root / "training"), exclude=["study", "study.*"])
    inner = [f"vitcam_training.{name}" for name in training]
    return [*daemon, "vitcam.bundled", "vitcam.units", "vitcam_training", *inner]


def home() -> str:
    """Where the project is published, such as https://github.com/NAME/vitcam; empty: nowhere yet."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return str(project["tool"]["vitcam"]["home"]).rstrip("/")


def version() -> str:
    """That of the package, without importing it."""
    return str(runpy.run_path(str(ROOT / "vitcam" / "_version.py"))["__version__"])


def description(text: str, where: str, tag: str) -> str:
    """The README for a package: its links lead to the files of this version, or are left out if `where` is empty."""

    def linked(found: re.Match[str]) -> str:
        mark, said, target = found.groups()
        if "://" in target or target.startswith("#"):
            return found[0]
        if not where:
            return "" if mark else said
        return f"{mark}[{said}]({where}/{'raw' if mark else 'blob'}/{tag}/{target})"

    return LINK.sub(linked, text)


def urls(where: str, tag: str) -> dict[str, str]:
    """`project.urls`; none if `where` is empty."""
    if not where:
        return {}
    return {
        "Source": where,
        "Documentation": f"{where}/tree/{tag}/docs",
        "Changelog": f"{where}/blob/{tag}/CHANGELOG.md",
        "Issues": f"{where}/issues",
    }


class PackageInfo(egg_info):
    """The metadata of source distribution and wheel."""

    def finalize_options(self) -> None:
        """Change what pyproject.toml has given before any of it is written."""
        super().finalize_options()
        metadata, tag = self.distribution.metadata, f"v{version()}"
        metadata.long_description = description((ROOT / "README.md").read_text("utf-8"), home(), tag)
        metadata.project_urls = urls(home(), tag)


if __name__ == "__main__":
    setup(packages=packages(ROOT), cmdclass={"egg_info": PackageInfo})
