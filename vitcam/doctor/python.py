"""Python and the packages: imported in a child process, since one built for another NumPy may crash it."""

import importlib.util
import platform
import sys
from pathlib import Path

from vitcam.doctor.check import CheckContext, CheckResult, Grade
from vitcam.processes.command import CommandResult, run_with_timeout

_TIMEOUT_S = 60  # importing everything from a slow SD card takes long
_NEEDED = {
    "numpy": "numpy",
    "cv2": "opencv-python-headless",
    "aiohttp": "aiohttp",
}
_RUNTIMES = {"ai_edge_litert": "ai-edge-litert", "tflite_runtime": "tflite-runtime"}
_IMPORT = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"
_SYSTEM_PACKAGES = "usr/lib/python3/dist-packages"


def python(context: CheckContext) -> CheckResult:
    """The interpreter, and whether all packages can be imported together."""
    from importlib.metadata import PackageNotFoundError, version

    runtime = next((name for name in _RUNTIMES if importlib.util.find_spec(name)), next(iter(_RUNTIMES)))
    result = run_with_timeout([sys.executable, "-c", _IMPORT, *_NEEDED, f"{runtime}.interpreter"], _TIMEOUT_S)
    if result.code != 0:
        return CheckResult("fail", f"a package cannot be imported: {result.last_words}", _pip_fix(result))
    try:
        versions = [f"{package} {version(package)}" for package in (*_NEEDED.values(), _RUNTIMES[runtime])]
    except PackageNotFoundError as error:  # it was installed in another way, such as by apt
        return CheckResult(
            "warn", f"{error} was not installed by pip, so its version is unknown", _install(str(error.name))
        )
    return CheckResult("ok", f"Python {platform.python_version()}, {', '.join(versions)}")


def picamera2(context: CheckContext) -> CheckResult:
    """Whether the Pi's camera library can be imported by the Python that runs vitcam."""
    result = run_with_timeout([sys.executable, "-c", _IMPORT, "picamera2"], _TIMEOUT_S)
    if result.code == 0:
        return CheckResult("ok", "can be imported")
    wanted = context.settings.camera.source.startswith("picamera") or (
        context.machine.is_pi and not context.settings.camera.source
    )
    grade: Grade = "fail" if wanted else "warn"
    if _clashes(result):
        return CheckResult(
            grade,
            f"is built for another NumPy: {result.last_words}",
            _one_numpy(),
        )
    if "ModuleNotFoundError" not in result.last_words:
        return CheckResult(
            grade, f"cannot be imported: {result.last_words}", "sudo apt install --reinstall python3-picamera2"
        )
    if (context.machine.root / _SYSTEM_PACKAGES / "picamera2").is_dir():
        return CheckResult(grade, *_unseen(context))
    if wanted:
        return CheckResult("fail", f"is not installed: {result.last_words}", "sudo apt install python3-picamera2")
    return CheckResult("ok", "is not installed; V4L2 cameras, files and the demo need none")


def _unseen(context: CheckContext) -> tuple[str, str]:
    """picamera2 is among the system's packages, but this Python does not see them, or has another version."""
    config = Path(sys.prefix) / "pyvenv.cfg"
    system = _system_python(context)
    if system and system != sys.version_info[:2]:
        return (
            f"is built for the system's Python {system[0]}.{system[1]}, and this is {platform.python_version()}",
            f"/usr/bin/python3 -m venv --clear --system-site-packages {sys.prefix}, then install vitcam there again",
        )
    return (
        f"is installed for the system, and the virtual environment {sys.prefix} does not see it",
        f"sed -i 's/^include-system-site-packages.*/include-system-site-packages = true/' {config}",
    )


def _system_python(context: CheckContext) -> tuple[int, int] | None:
    """The version of /usr/bin/python3, from the name of the file that it links to."""
    name = (context.machine.root / "usr/bin/python3").resolve().name.removeprefix("python")
    major, _, minor = name.partition(".")
    return (int(major), int(minor)) if major.isdigit() and minor.isdigit() else None


def _clashes(result: CommandResult) -> bool:
    """Whether NumPy's message says that an extension was compiled for another version of it."""
    messages = ("numpy.dtype size changed", "compiled using NumPy 1.x", "compiled against API version")
    return any(words in result.err for words in messages)


def _one_numpy() -> str:
    """The commands that give a virtual environment the NumPy for which the system's packages are built.

    Its own NumPy is removed, so that Python finds the system's again. Then pip installs what fits that one. It must not
    use --force-reinstall, since that would install the newest NumPy, too.
    """
    old = sys.version_info < (3, 13)  # Raspberry Pi OS bookworm and before: NumPy 1
    bounds = "'numpy<2' 'ml_dtypes<0.6' 'opencv-python-headless<4.12'" if old else "numpy opencv-python-headless"
    return f"{sys.executable} -m pip uninstall -y numpy; {sys.executable} -m pip install {bounds}"


def _pip_fix(result: CommandResult) -> str:
    if _clashes(result):
        return _one_numpy()
    if "libGL" in result.err:  # opencv-python needs a display, and is installed in place of the headless one
        return f"{sys.executable} -m pip uninstall -y opencv-python; {_install('opencv-python-headless')}"
    return _install("vitcam")


def _install(what: str) -> str:
    return f"{sys.executable} -m pip install --force-reinstall {what}"
