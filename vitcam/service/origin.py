"""What a release is installed from: a wheel, a folder with the source, or the distribution that runs now."""

import base64
import hashlib
import shutil
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path

from vitcam.errors import UsageError

_PACKAGE = Path(__file__).parents[1]
_NEEDED = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "vitcam", "training", "models", "systemd")
"""What the build of a wheel reads."""
_OF_ONE_INSTALLATION = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"})


def checkout() -> Path | None:
    """The folder with the source that this program runs from; None if it was installed as a wheel."""
    folder = _PACKAGE.parent
    return folder if is_source(folder) else None


def is_source(folder: Path) -> bool:
    """Whether vitcam can be installed from this folder."""
    return all((folder / name).exists() for name in ("pyproject.toml", "vitcam/_version.py"))


def checked_origin(given: Path) -> Path:
    """The path in full. Raises UsageError if it is neither a wheel nor a folder with vitcam's source."""
    path = given.expanduser().absolute()
    if path.is_file() and path.suffix == ".whl":
        return path
    if is_source(path):
        return path
    what = "is neither a wheel nor a folder with vitcam's source" if path.exists() else "is not there"
    raise UsageError(f"{given} {what}; name a file vitcam-….whl or a checkout of vitcam")


def installable(origin: Path | None, work: Path) -> Path:
    """What pip gets: the wheel, a copy of the source, or a wheel made of the distribution that runs.

    origin  None: the distribution that runs
    work    an empty folder; a build in the user's own folder would leave files of root's behind there
    raises  UsageError if there is no such distribution; OSError if the disk is full
    """
    if origin is None:
        return _repacked(work)
    if origin.is_file():
        return origin
    copy = work / "source"
    copy.mkdir()
    for name in _NEEDED:
        source = origin / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns(".*", "__pycache__", "*.safetensors"))
        elif source.exists():
            shutil.copy(source, copy / name)
    return copy


def _repacked(folder: Path) -> Path:
    """The wheel that the running distribution was installed from, made again of its files.

    source  the binary distribution format, packaging.python.org/specifications
    """
    found = distribution("vitcam")
    members = {str(path): Path(str(path.locate())) for path in found.files or () if _belongs(str(path))}
    if "vitcam/__init__.py" not in members:
        raise UsageError("this vitcam runs from no wheel and no checkout; name what to install: a wheel or a folder")
    wheel = folder / f"vitcam-{found.version}-{_tag(found)}.whl"
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_STORED) as archive:
        for name, path in members.items():
            data = path.read_bytes()
            archive.writestr(name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        name = f"vitcam-{found.version}.dist-info/RECORD"
        archive.writestr(name, "\n".join([*record, f"{name},,", ""]))
    return wheel


def _belongs(name: str) -> bool:
    """Whether it came in the wheel: not scripts that pip made, nor what it noted about the installation."""
    own = Path(name)
    return ".." not in own.parts and own.suffix != ".pyc" and own.name not in _OF_ONE_INSTALLATION


def _tag(found: Distribution) -> str:
    lines = (found.read_text("WHEEL") or "").splitlines()
    return next((line.partition(": ")[2] for line in lines if line.startswith("Tag: ")), "py3-none-any")
