"""What pyproject.toml cannot say by itself: a package's description has no repository around it to link into.

Links of README.md are absolute there, and `project.urls` are made from the same address: `home` of [tool.vitcam] in
pyproject.toml. While that is empty, links are left out, and so are the addresses. Without this file, as an older
`vitcam service upgrade` builds, all is the same but the links.
"""

import re
import runpy
import tomllib
from pathlib import Path

from setuptools import setup
from setuptools.command.egg_info import egg_info

ROOT = Path(__file__).parent
LINK = re.compile(r"(!?)\[((?:[^][]|\[[^]]*\])*)\]\(([^)\s]+)\)")
"""In Markdown: a picture's mark, the text, the target."""


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
    setup(cmdclass={"egg_info": PackageInfo})
