"""What run.sh starts: each suite's root, from the installation to the daemon's page."""

import os
import subprocess
import sys
from pathlib import Path

from tests.arm64.answers import answers_agree
from tests.arm64.daemon import daemon
from tests.arm64.install import doctor_is_content, doctor_mends, install, pictures_folder
from tests.arm64.root import make_root
from tests.needs import data_root
from tests.pivm.report import Report

SUITES = {"trixie": "Python 3.13, OpenCV 5", "bookworm": "Python 3.11, OpenCV 4, NumPy 1.24"}
PHOTOS = 100


def examine(suite: str, folder: Path, data: Path, report: Report) -> None:
    """Everything about one suite."""
    photos = sorted((data / "imagenet_samples").glob("*.jpg"))
    photos = photos[:: max(1, len(photos) // PHOTOS)][:PHOTOS]
    root = make_root(suite, folder / suite)
    pictures_folder(root, photos)
    if not install(root, report):
        return
    doctor_is_content(root, report)
    daemon(root, photos[0], folder / f"{suite}", report)
    answers_agree(root, root.path / "photos", report)
    if suite == "bookworm":
        doctor_mends(root, report)


def main() -> int:
    suites = sys.argv[1:] or list(SUITES)
    if unknown := set(suites) - set(SUITES):
        print(f"there is no suite {', '.join(sorted(unknown))}; name {' or '.join(SUITES)}", file=sys.stderr)
        return 2
    data = data_root()
    if data is None:
        print("VITCAM_DATA is not set; it names the folder that holds imagenet_samples", file=sys.stderr)
        return 2
    report = Report()
    for suite in suites:
        print(f"-- {suite}: {SUITES[suite]}", flush=True)
        try:
            examine(suite, Path(os.environ.get("ARM64_DIR", "build/arm64")).resolve(), data, report)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            report.check(f"{suite} was examined to its end", False, repr(error))
    print(f"{report.failed} failed", flush=True)
    return int(report.failed > 0)


if __name__ == "__main__":
    sys.exit(main())
