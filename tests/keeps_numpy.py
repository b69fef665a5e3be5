"""Whether installing the product leaves Debian's NumPy in place, which picamera2 and simplejpeg are compiled against.

On trixie it leaves Debian's PyAV as well, which picamera2 imports.

    python tests/keeps_numpy.py     with the Python of a Raspberry Pi OS: 3.11 or 3.13

A venv gets the packages that Debian has for this Python. Then pip is asked what it would install, and installs nothing.
"""

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

DEBIANS = {(3, 11): {"numpy": "1.24.2"}, (3, 13): {"numpy": "2.2.4", "av": "14.2.0"}}
"""Of bookworm, whose PyAV is too old, and of trixie."""
ROOT = Path(__file__).parents[1]


def changed_by_install(folder: Path, present: dict[str, str]) -> dict[str, str]:
    """What pip would install, by name, into a venv in `folder` that has `present`. Raises CalledProcessError."""
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin/python"), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    subprocess.run([*pip, *(f"{name}=={version}" for name, version in present.items())], check=True)
    asked = [*pip, "--dry-run", "--report", "-", str(ROOT)]
    report = json.loads(subprocess.run(asked, check=True, stdout=subprocess.PIPE).stdout)
    return {each["metadata"]["name"]: each["metadata"]["version"] for each in report["install"]}


def main() -> int:
    debians = DEBIANS.get(sys.version_info[:2])
    if debians is None:
        known = " or ".join(f"{major}.{minor}" for major, minor in DEBIANS)
        print(f"this is Python {sys.version.split()[0]}; run it with Python {known}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        found = changed_by_install(Path(folder), debians)
    for name in debians.keys() & found.keys():
        print(
            f"installing vitcam would put {name} {found[name]} in the place of Debian's {debians[name]}",
            file=sys.stderr,
        )
    if debians.keys() & found.keys():
        return 1
    kept = " and ".join(f"{name} {version}" for name, version in debians.items())
    print(f"installing vitcam leaves Debian's {kept} as it is, and brings {len(found)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
