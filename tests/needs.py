"""What a test needs beyond Python: a missing part skips, or fails where VITCAM_REQUIRE=all says it must be there."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest


def need_program(name: str, *others: str) -> str:
    """The path of the first of these programs that is installed."""
    found = next(filter(None, map(shutil.which, (name, *others))), None)
    return found or missing(f"the program {name} is not installed")


def need_system_python(*modules: str) -> str:
    """The system's own Python, which alone sees Debian's packages, with these modules."""
    python = need_program("/usr/bin/python3")
    imports = [python, "-c", f"import {', '.join(modules)}"]
    if subprocess.run(imports, capture_output=True, timeout=60).returncode:
        missing(f"{python} has not all of {', '.join(modules)}")
    return python


def need_torch() -> str:
    """A Python that has PyTorch beside what training needs: this one, or that of the peers, which `make` installs.

    Without it a test skips, also where everything else must be there: PyPI's PyTorch brings several GB of CUDA.
    """
    if importlib.util.find_spec("torch"):
        return sys.executable
    peers = Path(__file__).parents[1] / ".venv" / "peers" / "bin" / "python"
    if not peers.exists():
        pytest.skip("PyTorch is not installed; `pip install torch` or `make .venv/peers/ready` does it")
    return str(peers)


def data_root() -> Path | None:
    """The folder of the photos and weights that are not in the repository; None where VITCAM_DATA is not set."""
    root = os.environ.get("VITCAM_DATA")
    return Path(root) if root else None


def need_data(name: str) -> Path:
    """A folder or file below the data root."""
    root = data_root()
    if root is None:
        missing(f"VITCAM_DATA is not set; it names the folder that holds {name}")
    path = root / name
    if not path.exists():
        missing(f"{path} does not exist; VITCAM_DATA names the folder above it")
    return path


def need_model(name: str) -> Path:
    """A model that the repository ships."""
    path = Path(__file__).parents[1] / "models" / f"{name}.tflite"
    if not path.exists():
        missing(f"{path} is not there")
    return path


def missing(what: str) -> NoReturn:
    """Skip the test, or fail it where nothing may be missing."""
    if os.environ.get("VITCAM_REQUIRE") == "all":
        pytest.fail(what)
    pytest.skip(what)
