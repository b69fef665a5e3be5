"""From an installed wheel back to a wheel, and through the real venv and pip without a network."""

import zipfile
from pathlib import Path

import pytest

from tests.refusals import naming
from vitcam.errors import UsageError, VitcamError
from vitcam.service.origin import checked_origin, installable
from vitcam.service.places import Places
from vitcam.service.releases import Release, build

INFO = "vitcam-7.1.dist-info"
MEMBERS = {
    "vitcam/__init__.py": "",
    "vitcam/cli.py": "def main():\n    print('vitcam 7.1')\n",
    "vitcam/units/vitcam.service": "[Service]\n",
    f"{INFO}/METADATA": "Metadata-Version: 2.1\nName: vitcam\nVersion: 7.1\n",
    f"{INFO}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    f"{INFO}/entry_points.txt": "[console_scripts]\nvitcam = vitcam.cli:main\n",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel with the names of vitcam's, without anything that it would need."""
    path = tmp_path_factory.mktemp("wheel") / "vitcam-7.1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in MEMBERS.items():
            archive.writestr(name, text)
        archive.writestr(f"{INFO}/RECORD", "".join(f"{name},,\n" for name in [*MEMBERS, f"{INFO}/RECORD"]))
    return path


@pytest.fixture
def site(wheel: Path, tmp_path: Path) -> Path:
    """The folder that pip would have installed it into, with what pip adds."""
    folder = tmp_path / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    added = {
        f"{INFO}/INSTALLER": "pip\n",
        f"{INFO}/direct_url.json": "{}",
        "vitcam/__pycache__/cli.cpython-313.pyc": "",
    }
    for name, text in added.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    with (folder / INFO / "RECORD").open("a") as record:
        record.writelines(f"{name},,\n" for name in [*added, "../../../bin/vitcam"])
    return folder


@pytest.fixture(scope="module")
def release(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Release:
    """That wheel, installed by the real pip as it is set up for a machine without a network."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_NO_INDEX", "1")
        return build(Places(tmp_path_factory.mktemp("machine")), wheel)


@pytest.mark.long
def test_a_wheel_is_installed_where_it_sees_the_systems_packages(release: Release, wheel: Path) -> None:
    settings = (release.folder / "pyvenv.cfg").read_text()

    assert release.version == "7.1"
    assert release.origin == wheel
    assert "include-system-site-packages = true" in settings
    assert release.package is not None
    assert (release.package / "units/vitcam.service").exists()


def test_an_installed_distribution_becomes_the_wheel_again_that_it_was(
    site: Path, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(site))

    again = installable(None, tmp_path)

    assert again.name == wheel.name
    with zipfile.ZipFile(again) as archive:
        assert {name: archive.read(name).decode() for name in MEMBERS} == MEMBERS
        assert sorted(archive.namelist()) == sorted([*MEMBERS, f"{INFO}/RECORD"])
        recorded = {line.split(",")[0]: line.split(",")[1] for line in archive.read(f"{INFO}/RECORD").decode().split()}
    assert sorted(recorded) == sorted([*MEMBERS, f"{INFO}/RECORD"])
    assert all(digest.startswith("sha256=") for name, digest in recorded.items() if "RECORD" not in name)


@pytest.mark.long
def test_a_damaged_wheel_is_refused_in_pips_words_and_leaves_nothing(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = tmp_path / wheel.name
    damaged.write_bytes(wheel.read_bytes()[:-200])
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    places = Places(tmp_path / "machine")

    with pytest.raises(VitcamError, match=naming("pip", "vitcam", "nothing was changed")):
        build(places, damaged)

    assert list(places.releases.iterdir()) == []


@pytest.mark.parametrize("given", [".", "vitcam.whl"])
def test_a_path_that_holds_no_vitcam_is_refused(given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UsageError, match=r"name a file vitcam-….whl or a checkout of vitcam"):
        checked_origin(Path(given))
