"""`vitcam doctor` on Python and picamera2: real imports in a real child."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.doctor.places import put, watching
from vitcam.doctor import python
from vitcam.doctor.check import CheckContext, CheckResult


@pytest.fixture
def fake_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    def fake_package(name: str, content: str) -> None:
        (tmp_path / f"{name}.py").write_text(content)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.syspath_prepend(str(tmp_path))

    return fake_package


def test_python_names_the_version_of_everything_it_needs(context: CheckContext) -> None:
    finding = python.python(context)

    assert finding.status == "ok"
    assert all(name in finding.found for name in ("Python 3.", "numpy ", "opencv", "ai-edge-litert 2.", "aiohttp "))


@pytest.mark.parametrize(
    ("error", "fix"),
    [
        ("ValueError('numpy.dtype size changed, may indicate binary incompatibility')", "uninstall -y numpy; "),
        ("RuntimeError('module compiled against API version 0x10')", "uninstall -y numpy; "),
        ("ImportError('libGL.so.1: cannot open shared object file')", "uninstall -y opencv-python;"),
        ("ImportError('something else')", "--force-reinstall vitcam"),
    ],
)
def test_a_package_that_does_not_import_is_named_with_its_cure(
    context: CheckContext, fake_package: Callable[[str, str], None], error: str, fix: str
) -> None:
    fake_package("cv2", f"raise {error}")

    finding = python.python(context)

    assert finding.status == "fail"
    assert finding.found.startswith("a package cannot be imported: ")
    assert fix in finding.fix


@pytest.mark.parametrize(("source", "status"), [("picamera", "fail"), ("demo", "warn")])
def test_a_picamera2_for_another_numpy_matters_where_it_is_wanted(
    context: CheckContext, fake_package: Callable[[str, str], None], source: str, status: str
) -> None:
    fake_package("picamera2", "raise ValueError('numpy.dtype size changed, may indicate binary incompatibility')")

    finding = python.picamera2(watching(context, source))

    assert finding.status == status
    assert "built for another NumPy" in finding.found
    assert finding.fix.startswith(f"{sys.executable} -m pip uninstall -y numpy; {sys.executable} -m pip install ")


@pytest.mark.parametrize(
    ("version", "bounds"),
    [
        ((3, 11), "'numpy<2' 'ml_dtypes<0.6' 'opencv-python-headless<4.12'"),  # Raspberry Pi OS bookworm
        ((3, 13), "numpy opencv-python-headless"),  # trixie; no NumPy 1 exists for its Python
    ],
)
def test_the_systems_numpy_is_uncovered_and_never_replaced_by_force(
    context: CheckContext,
    fake_package: Callable[[str, str], None],
    monkeypatch: pytest.MonkeyPatch,
    version: tuple[int, int],
    bounds: str,
) -> None:
    fake_package("picamera2", "raise ValueError('numpy.dtype size changed, may indicate binary incompatibility')")
    monkeypatch.setattr(sys, "version_info", version)

    fix = python.picamera2(context).fix

    assert fix.endswith(f" -m pip install {bounds}")
    assert "force" not in fix


def test_a_picamera2_that_the_venv_cannot_see_is_made_visible(context: CheckContext) -> None:
    (context.machine.root / "usr/lib/python3/dist-packages/picamera2").mkdir(parents=True)

    finding = python.picamera2(context)

    assert finding.status == "warn"
    assert f"the virtual environment {sys.prefix} does not see it" in finding.found
    assert finding.fix.endswith(f"include-system-site-packages = true/' {sys.prefix}/pyvenv.cfg")


def test_a_venv_of_another_python_has_to_be_made_anew(context: CheckContext) -> None:
    (context.machine.root / "usr/lib/python3/dist-packages/picamera2").mkdir(parents=True)
    put(context, "usr/bin/python3.99", "")
    (context.machine.root / "usr/bin/python3").symlink_to("python3.99")

    finding = python.picamera2(context)

    assert "is built for the system's Python 3.99" in finding.found
    assert finding.fix.startswith(f"/usr/bin/python3 -m venv --clear --system-site-packages {sys.prefix}")


def test_a_pi_without_picamera2_is_told_what_to_install(context: CheckContext) -> None:
    put(context, "proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")

    assert python.picamera2(context) == CheckResult(
        "fail",
        "is not installed: ModuleNotFoundError: No module named 'picamera2'",
        "sudo apt install python3-picamera2",
    )


def test_a_laptop_without_picamera2_is_quite_all_right(context: CheckContext) -> None:
    assert python.picamera2(context).status == "ok"
