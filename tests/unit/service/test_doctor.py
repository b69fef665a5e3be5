"""`vitcam doctor`: each check finds what is wrong, says how to mend it, and never falls over itself."""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from vitcam.service import check_camera, check_machine, check_python, check_service, doctor
from vitcam.service.check import Check, Finding, Grade, Place, run_bounded
from vitcam.service.settings import CameraSettings, Settings, WebSettings
from vitcam.sources import v4l2_devices
from vitcam.sources.v4l2_devices import Device

Seen = Callable[[Device], None]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An empty machine: no sensor, no device, no board name."""
    return Place(Settings(), {"HOME": str(tmp_path)}, root=tmp_path)


def put(place: Place, path: str, text: str) -> None:
    file = place.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def watching(place: Place, source: str) -> Place:
    return replace(place, settings=Settings(camera=CameraSettings(source=source)))


# --- the table


def test_a_check_that_raises_is_reported_as_a_failure_in_one_line(place: Place) -> None:
    def broken(_: Place) -> Finding:
        raise ValueError("over\nhere")

    check = doctor.examine("broken", broken, place)

    assert check == Check("broken", "fail", "could not be checked: ValueError: over here", "vitcam -v doctor")


def test_people_read_every_finding_and_its_fix_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    doctor.render([Check("a", "ok", "is [fine]", ""), Check("bcd", "fail", "is not", "mend it")], as_json=False)

    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == ["ok    a    is [fine]", "FAIL  bcd  is not", "           → mend it"]


def test_machines_read_one_object_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    doctor.render([Check("a", "warn", "is µ", "mend it")], as_json=True)

    captured = capsys.readouterr()
    assert captured.err == ""
    assert json.loads(captured.out) == {
        "type": "doctor",
        "ok": True,
        "checks": [{"name": "a", "status": "warn", "found": "is µ", "fix": "mend it"}],
    }


@pytest.mark.parametrize(("status", "failed"), [("ok", False), ("warn", False), ("fail", True)])
def test_only_a_failure_makes_the_exit_status_one(status: Grade, failed: bool) -> None:
    assert doctor.any_failed([Check("a", "ok", "", ""), Check("b", status, "", "")]) is failed


def test_every_check_of_the_table_answers_on_this_machine() -> None:
    checks = doctor.run_checks(Settings(camera=CameraSettings(source="demo")))

    assert [check.name for check in checks] == list(doctor.CHECKS)
    assert all(check.found and "\n" not in check.found + check.fix for check in checks)
    assert not [check for check in checks if "could not be checked" in check.found]
    assert not [check for check in checks if check.status == "fail" and not check.fix]


def test_the_doctor_speaks_where_numpy_is_broken(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise ImportError('numpy.core.multiarray failed to import')")
    code = (
        "from vitcam.service import doctor; from vitcam.service.settings import Settings; "
        "doctor.render(doctor.run_checks(Settings()), as_json=True)"
    )

    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )

    checks = {check["name"]: check for check in json.loads(result.stdout)["checks"]}
    assert list(checks) == list(doctor.CHECKS)
    assert checks["python"]["status"] == "fail"
    assert "numpy.core.multiarray failed to import" in checks["python"]["found"]
    assert "Traceback" not in result.stderr


# --- commands that misbehave


def test_a_command_that_hangs_is_given_up_in_time() -> None:
    outcome = run_bounded([sys.executable, "-c", "import time; time.sleep(60)"], timeout_s=0.2)

    assert outcome.code is None
    assert outcome.last_words == "did not answer within 0.2 s"


def test_the_last_words_of_a_traceback_are_its_error() -> None:
    outcome = run_bounded([sys.executable, "-c", "raise KeyError('x')"], timeout_s=30)

    assert outcome.code == 1
    assert outcome.last_words == "KeyError: 'x'"


# --- python and picamera2, as real imports in a real child


@pytest.fixture
def fake_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    def fake_package(name: str, content: str) -> None:
        (tmp_path / f"{name}.py").write_text(content)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.syspath_prepend(str(tmp_path))

    return fake_package


def test_python_names_the_version_of_everything_it_needs(place: Place) -> None:
    finding = check_python.python(place)

    assert finding.status == "ok"
    assert all(name in finding.found for name in ("Python 3.", "numpy ", "opencv", "ai-edge-litert 2.", "aiohttp "))


@pytest.mark.parametrize(
    ("error", "fix"),
    [
        ("ValueError('numpy.dtype size changed, may indicate binary incompatibility')", "'numpy<2'"),
        ("ImportError('libGL.so.1: cannot open shared object file')", "uninstall -y opencv-python;"),
        ("ImportError('something else')", "--force-reinstall vitcam"),
    ],
)
def test_a_package_that_does_not_import_is_named_with_its_cure(
    place: Place, fake_package: Callable[[str, str], None], error: str, fix: str
) -> None:
    fake_package("cv2", f"raise {error}")

    finding = check_python.python(place)

    assert finding.status == "fail"
    assert finding.found.startswith("a package does not import: ")
    assert fix in finding.fix


@pytest.mark.parametrize(("source", "status"), [("picamera", "fail"), ("demo", "warn")])
def test_a_picamera2_for_another_numpy_matters_where_it_is_wanted(
    place: Place, fake_package: Callable[[str, str], None], source: str, status: str
) -> None:
    fake_package("picamera2", "raise ValueError('numpy.dtype size changed, may indicate binary incompatibility')")

    finding = check_python.picamera2(watching(place, source))

    assert finding.status == status
    assert "built for another NumPy" in finding.found
    assert "'numpy<2' 'opencv-python-headless<4.12'" in finding.fix


def test_a_picamera2_that_the_venv_cannot_see_is_made_visible(place: Place) -> None:
    (place.root / "usr/lib/python3/dist-packages/picamera2").mkdir(parents=True)

    finding = check_python.picamera2(place)

    assert finding.status == "warn"
    assert f"the virtual environment {sys.prefix} does not see it" in finding.found
    assert finding.fix.endswith(f"include-system-site-packages = true/' {sys.prefix}/pyvenv.cfg")


def test_a_venv_of_another_python_has_to_be_made_anew(place: Place) -> None:
    (place.root / "usr/lib/python3/dist-packages/picamera2").mkdir(parents=True)
    put(place, "usr/bin/python3.99", "")
    (place.root / "usr/bin/python3").symlink_to("python3.99")

    finding = check_python.picamera2(place)

    assert "is built for the system's Python 3.99" in finding.found
    assert finding.fix.startswith(f"/usr/bin/python3 -m venv --clear --system-site-packages {sys.prefix}")


def test_a_pi_without_picamera2_is_told_what_to_install(place: Place) -> None:
    put(place, "proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")

    assert check_python.picamera2(place) == Finding(
        "fail",
        "is not installed: ModuleNotFoundError: No module named 'picamera2'",
        "sudo apt install python3-picamera2",
    )


def test_a_laptop_without_picamera2_is_quite_all_right(place: Place) -> None:
    assert check_python.picamera2(place).status == "ok"


# --- cameras


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """What the kernel lists: real devices need a real kernel, and are tried in the emulated machine."""

    def seen(*devices: Device) -> None:
        monkeypatch.setattr(v4l2_devices, "capture_devices", lambda root: list(devices))

    return seen


def libcamera_says(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(check_camera, "_LIST", [sys.executable, "-c", code])


WEBCAM = Device("/dev/video0", "Webcam", permitted=True)
LOCKED = Device("/dev/video2", "Webcam", permitted=False)


def test_no_camera_at_all_is_a_failure_that_names_the_demo(place: Place, seen: Callable[..., None]) -> None:
    seen()

    finding = check_camera.camera(place)

    assert (finding.status, finding.found) == ("fail", "no camera was found")
    assert "vitcam run --source demo" in finding.fix


def test_a_device_that_may_not_be_opened_needs_the_group_video(place: Place, seen: Callable[..., None]) -> None:
    seen(LOCKED)

    finding = check_camera.camera(place)

    assert finding.found == "/dev/video2: Webcam (may not be opened)"
    assert finding.fix == "sudo usermod -aG video $USER, then log in again"


def test_every_camera_is_listed_with_the_name_that_opens_it(
    place: Place, seen: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen(WEBCAM)
    libcamera_says(monkeypatch, "print('[\"imx708\"]')")

    assert check_camera.camera(place) == Finding("ok", "picamera: imx708; /dev/video0: Webcam")


@pytest.mark.parametrize(
    ("source", "status", "found"),
    [
        ("/dev/video0", "ok", "/dev/video0: Webcam"),
        ("v4l2:/dev/video2", "fail", "(may not be opened)"),
        ("v4l2:/dev/video7", "fail", "/dev/video7 is no camera; /dev/video0: Webcam"),
        ("picamera", "fail", "picamera2 finds no camera; /dev/video0: Webcam"),
        ("demo", "ok", "the source is demo: no camera is needed"),
        ("nonsense", "fail", "there is no file, folder or camera 'nonsense'"),
    ],
)
def test_the_source_that_is_set_decides_what_is_missing(
    place: Place, seen: Callable[..., None], source: str, status: str, found: str
) -> None:
    seen(WEBCAM, LOCKED)

    finding = check_camera.camera(watching(place, source))

    assert finding.status == status
    assert found in finding.found
    assert bool(finding.fix) == (status == "fail")


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import time; time.sleep(60)", "libcamera did not answer within 0.3 s"),
        ("import os; os.abort()", "libcamera crashed (signal 6)"),
        ("print('garbage')", "picamera2 gives no list of cameras: 'garbage\\n'"),
    ],
)
def test_a_libcamera_that_hangs_or_crashes_is_a_failure_of_its_own(
    place: Place, seen: Callable[..., None], monkeypatch: pytest.MonkeyPatch, code: str, found: str
) -> None:
    seen(WEBCAM)
    monkeypatch.setattr(check_camera, "_LOOK_S", 0.3 if "sleep" in code else 30)
    libcamera_says(monkeypatch, code)

    finding = check_camera.camera(place)

    assert finding == Finding("fail", found, finding.fix)
    assert "ribbon cable" in finding.fix
    assert check_camera.camera(watching(place, "/dev/video0")).status == "ok"


def test_a_picamera2_that_does_not_import_is_left_to_its_own_check(
    place: Place, seen: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen(WEBCAM)
    libcamera_says(monkeypatch, "import no_such_thing")

    assert check_camera.camera(place) == Finding("ok", "/dev/video0: Webcam")


# --- port and unit


def serving(place: Place, host: str, port: int) -> Place:
    return replace(place, settings=Settings(web=WebSettings(host=host, port=port)))


def test_a_free_port_is_found_free_and_left_free(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    assert check_service.port(serving(place, "127.0.0.1", port)) == Finding("ok", f"127.0.0.1:{port} is free")
    with socket.create_server(("127.0.0.1", port)):
        pass


def test_a_port_taken_by_a_stranger_is_a_failure_that_offers_the_next(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        taken.close()
        with socket.create_server(("127.0.0.1", port)) as stranger:
            stranger.settimeout(0.1)
            finding = check_service.port(serving(place, "127.0.0.1", port))

    assert finding.status == "fail"
    assert finding.found == f"127.0.0.1:{port} is taken by another program"
    assert finding.fix == f"take another: --port {port + 1}; who has it: sudo ss -ltnp sport = :{port}"


def test_a_port_taken_by_vitcam_itself_is_all_right(place: Place) -> None:
    code = (
        "import http.server, json\n"
        "class Page(http.server.BaseHTTPRequestHandler):\n"
        "    def do_GET(self):\n"
        "        self.send_response(200); self.end_headers()\n"
        "        self.wfile.write(json.dumps({'status': 'no_signal', 'model': 'everyday'}).encode())\n"
        "server = http.server.HTTPServer(('127.0.0.1', 0), Page)\n"
        "print(server.server_port, flush=True)\n"
        "server.serve_forever()\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        try:
            finding = check_service.port(serving(place, "127.0.0.1", port))
        finally:
            server.kill()

    assert finding == Finding("ok", f"vitcam serves at 127.0.0.1:{port}: no_signal, everyday")


def test_an_address_of_another_machine_cannot_be_bound(place: Place) -> None:
    finding = check_service.port(serving(place, "192.0.2.1", 8420))

    assert finding.status == "fail"
    assert finding.found.startswith("192.0.2.1:8420 cannot be bound: ")


def test_a_web_part_that_is_off_needs_no_port(place: Place) -> None:
    off = replace(place, settings=Settings(web=WebSettings(enabled=False)))

    assert check_service.port(off) == Finding("ok", "the web part is switched off")


@pytest.fixture
def systemctl(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Finding]:
    """The check's finding where systemctl prints this; the real one is tried in the emulated machine."""

    def systemctl(script: str) -> Finding:
        put(place, "run/systemd/system/.keep", "")
        program = tmp_path / "bin" / "systemctl"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
        return check_service.unit(place)

    return systemctl


@pytest.mark.parametrize(
    ("printed", "status", "found"),
    [
        ("LoadState=not-found", "ok", "vitcam.service is not installed"),
        ("LoadState=masked", "fail", "vitcam.service is masked"),
        (
            "LoadState=loaded\nActiveState=active\nSubState=running\nNRestarts=2\nStatusText=cup 93%, 25.0 fps",
            "ok",
            "active (running), 2 restarts: cup 93%, 25.0 fps",
        ),
        ("LoadState=loaded\nActiveState=inactive\nSubState=dead", "warn", "inactive (dead), 0 restarts"),
        ("LoadState=loaded\nActiveState=failed\nSubState=failed", "fail", "failed (failed), 0 restarts"),
        (
            "LoadState=loaded\nActiveState=activating\nSubState=auto-restart\nNRestarts=40",
            "fail",
            "activating (auto-restart), 40 restarts",
        ),
    ],
)
def test_the_unit_is_judged_by_what_systemd_says_of_it(
    systemctl: Callable[[str], Finding], printed: str, status: str, found: str
) -> None:
    finding = systemctl(f"cat <<'END'\n{printed}\nEND")

    assert finding.status == status
    assert finding.found.startswith(found)
    assert bool(finding.fix) == (status != "ok")


def test_a_systemd_that_does_not_answer_is_worth_a_warning(systemctl: Callable[[str], Finding]) -> None:
    finding = systemctl("echo 'Failed to connect to bus' >&2; exit 1")

    assert finding == Finding(
        "warn", "systemd does not answer: Failed to connect to bus", "systemctl status vitcam.service"
    )


def test_without_systemd_there_is_nothing_to_check(place: Place) -> None:
    assert check_service.unit(place).status == "ok"


# --- the machine


@pytest.mark.parametrize(("available_kb", "status"), [(4_000_000, "ok"), (300_000, "warn"), (100_000, "fail")])
def test_memory_is_judged_by_what_can_be_had(place: Place, available_kb: int, status: str) -> None:
    put(place, "proc/meminfo", f"MemTotal: 8000000 kB\nMemFree: 1 kB\nMemAvailable: {available_kb} kB\n")

    assert check_machine.memory(place).status == status


@pytest.mark.parametrize(("free", "status"), [(2_000_000_000, "ok"), (200_000_000, "warn"), (1_000_000, "fail")])
def test_the_disk_is_judged_where_the_state_will_lie(
    place: Place, monkeypatch: pytest.MonkeyPatch, free: int, status: str
) -> None:
    asked: list[Path] = []

    def disk_usage(path: Path) -> object:
        asked.append(path)
        return type("Usage", (), {"free": free})

    monkeypatch.setattr(shutil, "disk_usage", disk_usage)

    finding = check_machine.disk(place)

    assert finding.status == status
    assert asked == [place.root]  # HOME: nothing below it exists yet
    assert str(place.root / ".local/state/vitcam") in finding.found


def test_the_state_lies_where_systemd_or_the_user_says(place: Place) -> None:
    environ = {"HOME": "/home/x", "XDG_STATE_HOME": "/var/x"}

    assert check_machine.state_folder(replace(place, environ=environ)) == Path("/var/x/vitcam")
    assert check_machine.state_folder(replace(place, environ={**environ, "STATE_DIRECTORY": "/s"})) == Path("/s")


@pytest.mark.parametrize(
    ("readings", "status", "found"),
    [
        ([], "ok", "no sensor here"),
        (["48300"], "ok", "48 °C"),
        (["48300", "81200"], "warn", "81 °C; from 80 °C on a Pi slows down"),
        (["", "nonsense", "50000"], "ok", "50 °C"),
    ],
)
def test_the_hottest_sensor_is_what_counts(place: Place, readings: list[str], status: str, found: str) -> None:
    for number, reading in enumerate(readings):
        put(place, f"sys/class/thermal/thermal_zone{number}/temp", f"{reading}\n")

    finding = check_machine.temperature(place)

    assert (finding.status, finding.found) == (status, found)


@pytest.mark.parametrize(
    ("bits", "status", "found", "fix"),
    [
        ("0", "ok", "neither throttled nor under-voltage since the boot", ""),
        ("0x50005", "warn", "now: under-voltage, throttled; since the boot: under-voltage, throttled", "27 W supply"),
        ("80000", "warn", "now: nothing; since the boot: soft temperature limit", "fan or heat sink"),
        ("a000a", "warn", "now: frequency capped, soft temperature limit", "fan or heat sink"),
        ("nonsense", "ok", "the firmware does not say", ""),
    ],
)
def test_the_bits_of_the_firmware_are_put_into_words(
    place: Place, bits: str, status: str, found: str, fix: str
) -> None:
    put(place, "proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    put(place, "sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled", f"{bits}\n")

    finding = check_machine.power(place)

    assert finding.status == status
    assert finding.found.startswith(found)
    assert fix in finding.fix


def test_the_firmware_is_asked_by_vcgencmd_where_no_file_tells(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(place, "proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    put(place, "bin/vcgencmd", "#!/bin/sh\necho throttled=0x1\n")
    (tmp_path / "bin/vcgencmd").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)

    assert check_machine.power(place).found == "now: under-voltage; since the boot: nothing"


def test_a_pc_has_no_firmware_that_throttles(place: Place) -> None:
    assert check_machine.power(place) == Finding("ok", "no Raspberry Pi firmware here")
