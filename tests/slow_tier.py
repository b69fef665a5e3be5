"""The slow tier: `make test-slow` runs tests of minutes when what they test has changed, and all before a release.

A slow test names its subject, files and folders of the repository: `@pytest.mark.slow("vitcam/model", "training/fit")`.
When it has passed there, the fingerprint of its subject and of its own file is written to `slow_tier.json`, which is in
the repository. A test whose fingerprint is another one today is due. `ARGS=--all-slow` runs everything, and
`ARGS="--collect-only -q"` lists what is due. Any other run of pytest takes every slow test and writes nothing.
"""

import hashlib
import json
import subprocess
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
_RECORD = _ROOT / "tests" / "slow_tier.json"
_PROPERTY = "fingerprint of the subject"
_LIMIT_S = 1800  # of a test that names none: it takes minutes, and longer on a machine that is busy


@cache
def _contents(place: str) -> bytes:
    """The digest of the tracked files at `place`, as they are now. Raises pytest.UsageError where there is none."""
    listed = subprocess.run(["git", "ls-files", "-z", "--", place], cwd=_ROOT, capture_output=True, check=True).stdout
    names = sorted(name for name in listed.decode().split("\0") if name and (_ROOT / name).is_file())
    if not names:
        raise pytest.UsageError(f"{place} is the subject of a slow test, and no file or folder of this repository")
    digest = hashlib.sha256()
    for name in names:
        digest.update(f"{name}\0".encode() + hashlib.sha256((_ROOT / name).read_bytes()).digest())
    return digest.digest()


def fingerprint(item: pytest.Item) -> str:
    """16 hexadecimal digits that are others when a file of the test's subject has changed, or its own file."""
    places = {place for mark in item.iter_markers("slow") for place in mark.args}
    if not places:
        raise pytest.UsageError(f'{item.nodeid} names no subject: @pytest.mark.slow("vitcam/…")')
    places.add(item.path.relative_to(_ROOT).as_posix())
    return hashlib.sha256(b"".join(_contents(place) for place in sorted(places))).hexdigest()[:16]


class SlowTier:
    """The part of a test run that knows which slow tests are due, and writes down what passed."""

    def __init__(self, config: pytest.Config) -> None:
        self._every = bool(config.getoption("--all-slow"))
        self._kept = self._every or bool(config.getoption("--due"))
        self._in_worker = hasattr(config, "workerinput")  # of xdist: its reports go to the process that writes
        self._passed: dict[str, str] = {}
        self._record: dict[str, dict[str, str]] = json.loads(_RECORD.read_text("utf-8"))

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out each slow test whose subject is as it was when the test passed, and give the others time."""
        settled = []
        for item in items:
            if item.get_closest_marker("slow"):
                now = fingerprint(item)
                item.user_properties.append((_PROPERTY, now))
                if not item.get_closest_marker("timeout"):
                    item.add_marker(pytest.mark.timeout(_LIMIT_S))
                if self._kept and not self._every and self._record.get(item.nodeid, {}).get("subject") == now:
                    settled.append(item)
        if settled:
            config.hook.pytest_deselected(items=settled)
            items[:] = [item for item in items if item not in settled]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        subject = dict(report.user_properties).get(_PROPERTY)
        if report.when == "call" and report.passed and subject:
            self._passed[report.nodeid] = str(subject)
        elif not report.passed:
            self._passed.pop(report.nodeid, None)

    def pytest_sessionfinish(self) -> None:
        if self._in_worker or not (self._kept and self._passed):
            return
        head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=_ROOT, capture_output=True, text=True).stdout
        day = datetime.now(UTC).date().isoformat()
        for test, subject in self._passed.items():
            self._record[test] = {"subject": subject, "commit": head.strip(), "day": day}
        _RECORD.write_text(json.dumps(dict(sorted(self._record.items())), indent=1, ensure_ascii=False) + "\n", "utf-8")
