"""What Debian's package is made of, without making it: tests/pivm/package.sh installs one."""

import re
import subprocess
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from deb.build import HERE, control, debian_version, file_name, small_files, unit
from deb.lock import MACHINES, SUITES, Suite, requirements
from vitcam.service.package import take_over
from vitcam.service.places import UNIT_FILES, Places

EACH_SUITE = pytest.mark.parametrize("suite", SUITES.values(), ids=SUITES)


def _locked(suite: Suite) -> dict[str, tuple[str, int]]:
    """Library -> its version, and how many wheels are pinned."""
    lines = [line for line in suite.lock.read_text().splitlines() if not line.startswith("#")]
    words = [line.split() for line in lines]
    assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", word) for line in words for word in line[1:])
    return {line[0].partition("==")[0]: (line[0].partition("==")[2], len(line) - 1) for line in words}


@EACH_SUITE
def test_every_library_that_the_daemon_needs_is_pinned_in_a_version_that_fits(suite: Suite) -> None:
    locked = _locked(suite)
    for wanted in map(Requirement, requirements(suite)):
        name = wanted.name.lower().replace("_", "-")
        if name != "numpy":
            assert wanted.specifier.contains(locked[name][0]), f"{name}: run `python -m deb.lock`"
    assert locked["ai-edge-litert"][1] == len(MACHINES)
    assert "numpy" not in locked


@pytest.mark.parametrize(
    ("version", "expected"),
    [("0.3.0", "0.3.0~deb13"), ("0.3.0rc1", "0.3.0~~rc1~deb13"), ("0.3.0.dev1", "0.3.0~~dev1~deb13")],
)
def test_a_version_before_the_release_is_older_for_dpkg(version: str, expected: str) -> None:
    found = debian_version(SUITES["deb13"], version)

    assert found == expected
    assert subprocess.run(["dpkg", "--compare-versions", found, "le", "0.3.0~deb13"]).returncode == 0
    assert subprocess.run(["dpkg", "--compare-versions", "0.3.0~deb12", "lt", "0.3.0~deb13"]).returncode == 0


@EACH_SUITE
@pytest.mark.parametrize("machine", MACHINES)
def test_a_package_names_its_debian_its_processor_and_debians_own_python_and_numpy(suite: Suite, machine: str) -> None:
    lines = dict(line.split(": ", 1) for line in control(suite, machine, 7).splitlines() if not line.startswith(" "))

    assert file_name(suite, machine) == f"vitcam_{lines['Version']}_{lines['Architecture']}.deb"
    assert f"python3 (>= {suite.python}~)" in lines["Depends"]
    assert "python3-numpy" in lines["Depends"]
    assert "python3-picamera2" in lines["Recommends"]


@pytest.mark.parametrize("script", sorted(HERE.joinpath("scripts").iterdir()), ids=lambda path: path.name)
def test_the_shell_understands_each_maintainer_script(script: Path) -> None:
    assert script.stat().st_mode & 0o111
    subprocess.run(["sh", "-n", script], check=True)


@pytest.mark.parametrize("name", UNIT_FILES)
def test_the_packages_unit_is_that_of_a_checkout_but_for_the_program_and_the_pins(name: str) -> None:
    def lines(text: str) -> list[str]:
        return [line for line in text.splitlines() if line and not line.startswith("#")]

    own = lines(unit(name).decode())
    other = lines((HERE.parent / "systemd" / name).read_text())

    changed = [line for line in own if line not in other]
    assert changed[0].startswith("ExecStart=/usr/lib/vitcam/bin/vitcam run")
    assert changed[1:] == ["SupplementaryGroups=video gpio"]
    assert len(own) == len(other)


def test_the_package_takes_the_unit_files_of_a_checkout_for_its_own_and_not_those_of_the_package(
    tmp_path: Path,
) -> None:
    places = Places(tmp_path)
    places.units.mkdir(parents=True)
    (places.units / UNIT_FILES[0]).write_bytes((HERE.parent / "systemd" / UNIT_FILES[0]).read_bytes())
    (places.units / UNIT_FILES[1]).write_bytes(unit(UNIT_FILES[1]))

    take_over(places)

    assert [path.name for path in places.units.iterdir()] == [UNIT_FILES[1]]


@EACH_SUITE
def test_the_small_files_lie_where_debian_looks_for_them(suite: Suite) -> None:
    files = dict(small_files(suite, 0))

    assert b"_vitcam_completion" in files["usr/share/bash-completion/completions/vitcam"]
    assert files["usr/share/man/man1/vitcam.1.gz"][:2] == b"\x1f\x8b"
    assert f"version = {suite.python}\n".encode() in files["usr/lib/vitcam/pyvenv.cfg"]
    overrides = files["usr/share/lintian/overrides/vitcam"].decode().splitlines()
    assert len([line for line in overrides if line and not line.startswith("#")]) <= 5
