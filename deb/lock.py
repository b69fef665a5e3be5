"""What the Debian package carries: one wheel of each library for each Debian and processor, pinned by its hash.

    python -m deb.lock        writes deb/deb12.txt and deb/deb13.txt anew, with the newest versions that fit

NumPy is Debian's own, because the picamera2 of Raspberry Pi OS is built for that one. All other libraries fit it.
"""

import json
import os
import subprocess
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement

from vitcam.parts import PARTS

ROOT: Final = Path(__file__).parents[1]
MACHINES: Final = {"amd64": "x86_64", "arm64": "aarch64"}
"""Debian's name of a processor -> that of wheels."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A Debian that a package is made for."""

    name: str
    """As in the version of the package: deb13."""
    python: str
    glibc_minor: int
    """Its C library is 2.N; pip takes wheels for it and for every older one."""
    numpy: str
    """That of its package python3-numpy."""

    @property
    def lock(self) -> Path:
        return ROOT / "deb" / f"{self.name}.txt"

    def wheels(self, machine: str) -> list[str]:
        """Options with which pip chooses wheels as it would there. machine: a key of `MACHINES`."""
        kinds = ["manylinux2014", *(f"manylinux_2_{minor}" for minor in range(17, self.glibc_minor + 1))]
        platforms = [word for kind in kinds for word in ("--platform", f"{kind}_{MACHINES[machine]}")]
        return ["--only-binary=:all:", "--implementation", "cp", "--python-version", self.python, *platforms]


SUITES: Final = {
    suite.name: suite for suite in (Suite("deb12", "3.11", 36, "1.24.2"), Suite("deb13", "3.13", 41, "2.2.4"))
}


def requirements(suite: Suite) -> Iterator[str]:
    """What the daemon needs there, with the extras that its parts bring to a service, without conditions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [part.extra for part in PARTS if part.extra]
    for line in (
        *project["dependencies"],
        *(each for extra in extras for each in project["optional-dependencies"][extra]),
    ):
        wanted = Requirement(line)
        if wanted.marker is None or wanted.marker.evaluate({"python_version": suite.python}):
            wanted.marker = None
            yield str(wanted)
    yield f"numpy=={suite.numpy}"


def _resolved(suite: Suite, machine: str) -> Iterator[tuple[str, str]]:
    """Each library with its version, and the hash of its wheel. Raises CalledProcessError where a wheel is missing."""
    # pip reads conditions of libraries by its own Python, so that it has to be that of the suite
    pip = [
        str(ROOT / ".ci/with_python"),
        suite.python,
        "sh",
        "-c",
        'exec "$PYTHON" -m pip "$@"',
        "pip",
        "install",
        "--quiet",
    ]
    with tempfile.TemporaryDirectory() as work:
        report = Path(work, "report.json")
        options = ["--dry-run", "--ignore-installed", "--target", work, "--report", str(report), *suite.wheels(machine)]
        subprocess.run([*pip, *options, *requirements(suite)], check=True, env=public_packages_only())
        found: dict[str, Any] = json.loads(report.read_text("utf-8"))
    for each in found["install"]:
        about = each["metadata"]
        name = about["name"].lower().replace("_", "-")
        if name != "numpy":
            yield f"{name}=={about['version']}", each["download_info"]["archive_info"]["hashes"]["sha256"]


def public_packages_only() -> dict[str, str]:
    """The environment without folders of wheels and files of settings: their wheels have other hashes."""
    return {name: value for name, value in os.environ.items() if name != "PIP_FIND_LINKS"} | {
        "PIP_CONFIG_FILE": "/dev/null"
    }


def main() -> None:
    """Write the file of each suite."""
    for suite in SUITES.values():
        hashes: defaultdict[str, set[str]] = defaultdict(set)
        for machine in MACHINES:
            for pinned, digest in _resolved(suite, machine):
                hashes[pinned].add(digest)
        head = f"# Made by deb/lock.py for {suite.name}: wheels for amd64 and arm64. NumPy is Debian's {suite.numpy}.\n"
        lines = [
            " ".join([pinned, *(f"--hash=sha256:{one}" for one in sorted(hashes[pinned]))]) for pinned in sorted(hashes)
        ]
        suite.lock.write_text(head + "\n".join(lines) + "\n", "utf-8")
        print(f"{suite.lock.relative_to(ROOT)}: {len(lines)} libraries")


if __name__ == "__main__":
    main()
