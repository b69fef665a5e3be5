"""Makes what a release publishes, in dist/release/.

    python -m deb.release [--key KEY]      after `make packages`; `make release` does both

Packages of Debian that lie in dist/ and were made of this commit are taken as they are; the others are made. `KEY` is
one of GnuPG's: it signs the apt folders and the checksums, which are unsigned without it.
"""

import argparse
import gzip
import hashlib
import lzma
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from deb.build import build, commit, file_name
from deb.lock import MACHINES, ROOT, SUITES, Suite
from deb.sbom import bill_of_materials, licence_texts
from vitcam._version import __version__

_INTEGRATION: Final = ROOT / "examples/home-assistant"
_OWN_LICENCES: Final = {
    "vitcam": "LICENSE",
    "Camtrap DP, of which the package carries the profile": "vitcam/parts/records/standard/LICENSE",
    "the photos of the demo": "vitcam/sources/demo.md",
    "the photos that models are checked with; only the source distribution has them": "models/golden/CREDITS.md",
}
_ORIGIN: Final = "vitcam"


@dataclass(frozen=True, slots=True)
class Parts:
    """The files that a release is made of."""

    wheel: Path
    sdist: Path
    packages: dict[str, list[Path]]
    """Name of a suite -> Debian's packages for it, that for a PC first: its wheels bring the most."""


def assemble(parts: Parts, out: Path, key: str = "") -> None:
    """Fill the folder `out`, which is emptied before.

    key     the one of GnuPG's that signs; empty: nothing is signed
    raises  CalledProcessError where dpkg-deb or gpg fails, OSError
    """
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for each in (parts.wheel, parts.sdist):
        shutil.copy2(each, out)
    texts = {name: (ROOT / path).read_text("utf-8") for name, path in _OWN_LICENCES.items()}
    for name, packages in parts.packages.items():
        with TemporaryDirectory() as work:
            # the libraries of a suite are the same for each processor
            tree = _unpacked(packages[0], Path(work))
            texts |= dict(licence_texts(tree))
            bill = bill_of_materials(tree, SUITES[name])
            (out / f"vitcam-{__version__}-{name}.cdx.json").write_text(bill, "utf-8")
        apt_folder(packages, out / "apt" / name, key)
    (out / "LICENCES.txt").write_text(_chapters(texts), "utf-8")
    integration(out / f"vitcam-home-assistant-{__version__}.zip")
    files = sorted(path for path in out.rglob("*") if path.is_file())
    sums = out / "SHA256SUMS"
    sums.write_text("".join(f"{_sha256(path)}  {path.relative_to(out)}\n" for path in files), "utf-8")
    if key:
        _sign(key, "--armor", "--detach-sign", "--output", f"{sums}.asc", str(sums))


def apt_folder(packages: list[Path], folder: Path, key: str) -> None:
    """Packages with the index that apt reads: a flat repository.

    A folder has packages of one suite: apt takes the highest version that it sees, also one for a newer Debian.
    """
    folder.mkdir(parents=True)
    for package in packages:
        shutil.copy2(package, folder)
    index = "\n".join(_entry(folder / package.name) for package in sorted(packages)).encode()
    (folder / "Packages").write_bytes(index)
    (folder / "Packages.gz").write_bytes(gzip.compress(index, 9, mtime=0))
    (folder / "Packages.xz").write_bytes(lzma.compress(index))
    indices = [(_sha256(path), path.stat().st_size, path.name) for path in sorted(folder.glob("Packages*"))]
    machines = " ".join(
        sorted(_said("dpkg-deb", "--field", str(package), "Architecture").strip() for package in packages)
    )
    head = {"Origin": _ORIGIN, "Label": _ORIGIN, "Date": formatdate(usegmt=True), "Architectures": machines}
    lines = [*(f"{name}: {value}" for name, value in head.items()), "SHA256:"]
    lines += [f" {digest} {size} {name}" for digest, size, name in indices]
    release = folder / "Release"
    release.write_text("\n".join(lines) + "\n", "utf-8")
    if key:
        _sign(key, "--clearsign", "--output", str(folder / "InRelease"), str(release))
        _sign(key, "--armor", "--detach-sign", "--output", f"{release}.gpg", str(release))


def integration(archive: Path) -> None:
    """The integration for Home Assistant, as the repository that HACS reads."""
    own = "custom_components/vitcam"
    files = _said("git", "-C", str(_INTEGRATION), "ls-files", own, "hacs.json", "README.md").split()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in files:
            packed.write(_INTEGRATION / name, name)
        packed.write(ROOT / "LICENSE", f"{own}/LICENSE")


def made_of(package: Path) -> str:
    """The commit that a package of Debian was made of; empty where it does not say."""
    with TemporaryDirectory() as work:
        _unpacked(package, Path(work))
        changes = Path(work, "usr/share/doc/vitcam/changelog.gz")
        text = gzip.decompress(changes.read_bytes()).decode() if changes.exists() else ""
    return text.partition("* Commit ")[2].partition(".")[0]


def packages_of(suite: Suite, of: str, folder: Path, level: int) -> Iterator[Path]:
    """Debian's packages of a commit for each processor, made where they are not in the folder yet."""
    for machine in MACHINES:
        package = folder / file_name(suite, machine)
        if not package.exists() or made_of(package) != of:
            print(f"{package.name} is made", flush=True)
            build(suite, machine, folder, level)
        yield package


def _unpacked(package: Path, target: Path) -> Path:
    target.mkdir(exist_ok=True)
    _said("dpkg-deb", "--extract", str(package), str(target))
    return target


def _entry(package: Path) -> str:
    """What an index says of a package."""
    size = package.stat().st_size
    fields = _said("dpkg-deb", "--field", str(package))
    return f"{fields.rstrip()}\nFilename: ./{package.name}\nSize: {size}\nSHA256: {_sha256(package)}\n"


def _chapters(texts: dict[str, str]) -> str:
    head = f"Licences of vitcam {__version__}, and of all that its wheel, its packages of Debian and its source carry\n"
    line = "=" * 79
    return "\n".join([head, *(f"{line}\n{title}\n{line}\n\n{text.strip()}\n" for title, text in texts.items())])


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sign(key: str, *options: str) -> None:
    _said("gpg", "--batch", "--yes", "--local-user", key, *options)


def _said(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> int:
    """Exit status: 2 where the folder is not as it was committed, or `make packages` has not been."""
    parser = argparse.ArgumentParser(prog="python -m deb.release", description="Make what a release publishes.")
    parser.add_argument("--key", default="", help="GnuPG's key that signs. Default: nothing is signed.")
    parser.add_argument("--level", type=int, default=1, help="Of xz, 0 to 9; 9 is smaller and takes long.")
    chosen = parser.parse_args()
    of, dist = commit(), ROOT / "dist"
    if of.endswith("-dirty"):
        print("There are changes that are not committed. Commit them: a release names its commit.", file=sys.stderr)
        return 2
    wheel = dist / f"vitcam-{__version__}-py3-none-any.whl"
    sdist = dist / f"vitcam-{__version__}.tar.gz"
    if not (wheel.exists() and sdist.exists()):
        print(f"{wheel.name} or {sdist.name} is not in {dist}. Run `make packages`.", file=sys.stderr)
        return 2
    debs = {name: list(packages_of(suite, of, dist, chosen.level)) for name, suite in SUITES.items()}
    assemble(Parts(wheel, sdist, debs), dist / "release", chosen.key)
    for path in sorted((dist / "release").rglob("*")):
        if path.is_file():
            print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
