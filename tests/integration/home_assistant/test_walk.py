"""The page of a whole Home Assistant, from "Discovered" to the picture of a camera."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.home_assistant.running import need_home_assistant
from tests.home_assistant.walk import SERVICES
from tests.integration.faults.namespaces import need_namespaces
from tests.needs import missing, need_program


@pytest.mark.slow("examples/home-assistant", "vitcam/service/announce.py", "tests/home_assistant")
def test_a_camera_is_discovered_and_its_picture_is_on_a_dashboard_after_four_presses(tmp_path: Path) -> None:
    need_home_assistant()
    need_program("avahi-daemon", "/usr/sbin/avahi-daemon")
    if not SERVICES.is_dir():
        missing(f"{SERVICES} is not there: apt install avahi-daemon")
    need_namespaces("--mount", "--net")
    command = ["unshare", "--mount", "--net", sys.executable, "-m", "tests.home_assistant.walk", str(tmp_path)]

    ran = subprocess.run(command, capture_output=True, text=True, timeout=900)

    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout.splitlines()[-1])
    assert found["presses"] <= 4
    assert found["picture"] > 0
