"""A release of small, made-up files, and what apt, sha256sum, gpgv and the reader of a bill of materials make of it."""

import json
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from cyclonedx.model.bom import Bom
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from deb.build import control, file_name, small_files
from deb.lock import MACHINES, SUITES, Suite
from deb.release import Parts, assemble, made_of
from tests.needs import need_program
from vitcam._version import __version__

PIN = "aiosignal"
METADATA = {
    "vitcam": (__version__, "License-Expression: Apache-2.0\nRequires-Dist: aiosignal"),
    PIN: ("1.4.0", "License: Apache 2.0\nLicense-File: LICENSE"),
    "segno": ("1.6.6", "Classifier: License :: OSI Approved :: BSD License"),
}


def _package(folder: Path, suite: Suite, machine: str) -> Path:
    """A package of Debian with metadata of libraries, and one library that a wheel brings."""
    tree = folder / f"tree-{suite.name}-{machine}"
    site = tree / f"usr/lib/vitcam/lib/python{suite.python}/site-packages"
    for name, (version, more) in METADATA.items():
        about = site / f"{name}-{version}.dist-info"
        (about / "licenses").mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n{more}\n")
        (about / "licenses/LICENSE").write_text(f"Whoever reads the licence of {name} is made up.")
        files = [about / "licenses/LICENSE", *([_brought(site)] if name == "segno" else [])]
        (about / "RECORD").write_text("".join(f"{file.relative_to(site)},,\n" for file in files))
    path, content = next((path, text) for path, text in small_files(suite, 0) if path.endswith("/changelog.gz"))
    (tree / path).parent.mkdir(parents=True)
    (tree / path).write_bytes(content)
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN/control").write_text(control(suite, machine, 1))
    made = folder / file_name(suite, machine)
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, made], check=True, capture_output=True)
    return made


def _brought(site: Path) -> Path:
    """It is there: from Python 3.12 on, only files that exist are said to belong to a library."""
    library = site / "segno.libs/libx264-d6533a8d.so.165"
    library.parent.mkdir()
    library.touch()
    return library


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    """A wheel, a source and four packages, all made up."""
    need_program("dpkg-deb")
    work = tmp_path_factory.mktemp("made")
    wheel, sdist = work / f"vitcam-{__version__}-py3-none-any.whl", work / f"vitcam-{__version__}.tar.gz"
    wheel.write_bytes(b"a wheel")
    sdist.write_bytes(b"the source")
    debs = {name: [_package(work, suite, machine) for machine in MACHINES] for name, suite in SUITES.items()}
    return Parts(wheel, sdist, debs)


@pytest.fixture(scope="module")
def release(parts: Parts) -> Path:
    """The folder of an unsigned release."""
    out = parts.wheel.parent / "release"
    assemble(parts, out)
    return out


def _apt(root: Path, source: str, machine: str, *words: str) -> str:
    """What apt says with this one source, in a folder of its own."""
    need_program("apt-get")
    for name in (
        "etc/apt/preferences.d",
        "etc/apt/trusted.gpg.d",
        "var/lib/apt/lists/partial",
        "var/cache/apt/archives",
    ):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "status").touch()
    (root / "etc/apt/apt.conf").touch()
    (root / "etc/apt/sources.list").write_text(f"{source}\n")
    settings = [f"Dir={root}", f"Dir::State::status={root}/status", f"APT::Architecture={machine}"]
    settings += ["APT::Architectures=", "APT::Sandbox::User=root"]
    options = [word for setting in settings for word in ("-o", setting)]
    environ = {"PATH": "/usr/bin:/bin", "LANG": "C", "APT_CONFIG": f"{root}/etc/apt/apt.conf"}
    done = subprocess.run([*words[:1], *options, *words[1:]], capture_output=True, text=True, env=environ)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize(("suite", "machine"), [("deb12", "amd64"), ("deb13", "arm64")])
def test_apt_sees_the_package_of_its_debian_and_its_processor(
    release: Path, tmp_path: Path, suite: str, machine: str
) -> None:
    source = f"deb [trusted=yes] file:{release}/apt/{suite} ./"

    _apt(tmp_path, source, machine, "apt-get", "update")
    seen = _apt(tmp_path, source, machine, "apt-cache", "show", "vitcam")
    url = _apt(tmp_path, source, machine, "apt-get", "download", "--print-uris", "vitcam")

    assert f"Architecture: {machine}" in seen
    assert seen.count("Package: vitcam") == 1
    assert f"apt/{suite}/./{file_name(SUITES[suite], machine)}" in url.replace("%7e", "~")


def test_the_checksums_are_of_all_files_and_are_right(release: Path) -> None:
    checked = subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=release, capture_output=True, text=True)

    names = {line.removesuffix(": OK") for line in checked.stdout.splitlines()}
    files = {str(path.relative_to(release)) for path in release.rglob("*") if path.is_file()}
    assert checked.returncode == 0
    assert names == files - {"SHA256SUMS"}


def test_the_bill_of_materials_is_valid_and_names_licences_hashes_and_what_a_wheel_brings(release: Path) -> None:
    text = (release / f"vitcam-{__version__}-deb12.cdx.json").read_text()

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    bill: Bom = Bom.from_json(json.loads(text))  # type: ignore[attr-defined]
    assert bill.metadata.component is not None
    assert bill.metadata.component.name == "vitcam"
    found = {each.name: each for each in bill.components}
    assert set(found) == {PIN, "segno"}
    (wheels,) = found[PIN].external_references
    assert f"--hash=sha256:{next(iter(wheels.hashes)).content}" in SUITES["deb12"].lock.read_text()
    (brought,) = found["segno"].components
    assert (brought.name, [getattr(each, "id", None) for each in brought.licenses]) == ("libx264", ["GPL-2.0-or-later"])
    assert "BSD License" in text


def test_the_licences_are_there_as_their_libraries_bring_them(release: Path) -> None:
    text = (release / "LICENCES.txt").read_text()

    assert "aiosignal 1.4.0: Apache 2.0" in text
    assert "Whoever reads the licence of aiosignal is made up." in text
    assert "It brings libx264 165." in text
    assert "Camtrap DP Development Team" in text


def test_the_integration_is_the_repository_that_hacs_reads(release: Path) -> None:
    with zipfile.ZipFile(release / f"vitcam-home-assistant-{__version__}.zip") as archive:
        names = set(archive.namelist())
        manifest = json.loads(archive.read("custom_components/vitcam/manifest.json"))

    assert {name for name in names if "/" not in name} == {"hacs.json", "README.md"}
    assert {"custom_components/vitcam/LICENSE", "custom_components/vitcam/translations/en.json"} <= names
    assert manifest["version"] == __version__


def test_a_package_says_of_which_commit_it_was_made(release: Path) -> None:
    head = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()

    found = made_of(release / "apt/deb13" / file_name(SUITES["deb13"], "amd64"))

    assert found.removesuffix("-dirty") == head


def test_a_key_signs_the_apt_folder_and_the_checksums(
    parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_program("gpg")
    home, keyring, out = tmp_path / "gnupg", tmp_path / "key.asc", tmp_path / "release"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("GNUPGHOME", str(home))
    make = ["--batch", "--passphrase", "", "--quick-generate-key", "made@up.example", "ed25519", "sign", "never"]
    subprocess.run(["gpg", *make], check=True, capture_output=True)
    subprocess.run(["gpg", "--armor", "--output", keyring, "--export"], check=True, capture_output=True)
    try:
        assemble(replace(parts, packages={"deb13": parts.packages["deb13"]}), out, key="made@up.example")
        subprocess.run(
            ["gpg", "--verify", f"{out}/SHA256SUMS.asc", f"{out}/SHA256SUMS"], check=True, capture_output=True
        )
    finally:
        subprocess.run(["gpgconf", "--kill", "all"], check=True)

    said = _apt(tmp_path, f"deb [signed-by={keyring}] file:{out}/apt/deb13 ./", "amd64", "apt-get", "update")

    assert "W:" not in said
