"""Runs as root in the machine that `systemd.sh` starts: installs the unit and looks at what systemd makes of it."""

import json
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import cv2
import numpy as np

from tests.eventually import eventually
from tests.pivm.report import Report

IO = Path("/io")
HOME = Path("/opt/vitcam")
SITE = HOME / "lib/python3.13/site-packages"
CONFIG = Path("/etc/vitcam/config.toml")
DROP_IN = Path("/etc/systemd/system/vitcam.service.d/test.conf")
STALL = Path("/run/pivm/stall-all")
# libcamera's virtual cameras take their memory from udmabuf; a Pi's from dma_heap, as the unit allows
HERE_ONLY = "[Service]\nDeviceAllow=/dev/udmabuf rw\nEnvironment=PIVM_FORMATS=1\n"
# small and slow: an emulated machine has little time for inferences, which must not look hung
CAMERA = '[camera]\nsource = "picamera"\nwidth = 320\nheight = 240\nfps = 5\n'
ACTED = Path("/var/lib/vitcam/acted.json")
WRITES = 'command = ["sh", "-c", "cat >> /var/lib/vitcam/acted.jsonl"]'
ACTS = """
import json, mmap, os, sys, urllib.request
from pathlib import Path

def works(attempt):
    try:
        return attempt() is not None
    except Exception:
        return False

found = {
    "event": json.load(sys.stdin)["type"],
    "reads the configuration": works(Path("/etc/vitcam/config.toml").read_text),
    "reaches the network": works(lambda: urllib.request.urlopen("http://127.0.0.1:8420/healthz", timeout=20)),
    "has a folder for a moment": works(lambda: Path("/tmp/acted").write_text("1")),
    "writes the system": works(lambda: Path("/etc/vitcam/acted").write_text("1")),
    "sees homes": works(lambda: list(Path("/home").iterdir())) or works(lambda: list(Path("/root").iterdir())),
    "sees other processes": works(Path("/proc/1/cmdline").read_text),
    "makes code": works(lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC)),
    "may get rights": "NoNewPrivs:\\t0" in Path("/proc/self/status").read_text(),
    "has secrets": any(name.startswith("VITCAM_") for name in os.environ),
}
Path("/var/lib/vitcam/acted.json").write_text(json.dumps(found))
"""
ALLOWED = {"reads the configuration", "reaches the network", "has a folder for a moment"}
HANGS_ONCE = """
import os, time
from pathlib import Path
from vitcam.model.classifier import Classifier

classify, count = Classifier.__call__, [0]

def hang_once(self, frame, *how, **named):
    count[0] += frame.source != "golden"
    flag = Path(os.environ["STATE_DIRECTORY"], "hung")
    if count[0] == 3 and not flag.exists():
        flag.touch()
        time.sleep(3600)
    return classify(self, frame, *how, **named)

Classifier.__call__ = hang_once
"""


def sh(*command: str, timeout_s: float = 180) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s)
    return (done.stdout + done.stderr).strip()


def unit(name: str) -> str:
    return sh("systemctl", "show", "vitcam", "--property", name, "--value")


def journal() -> str:
    return sh("journalctl", "-u", "vitcam", "-o", "cat", "--no-pager")


def state() -> dict[str, object]:
    try:
        with urllib.request.urlopen("http://127.0.0.1:8420/api/state", timeout=10) as reply:
            found: dict[str, object] = json.load(reply)
            return found
    except (OSError, ValueError):
        return {}


def classify_photo() -> dict[str, object]:
    """What the daemon answers to a photo that is sent."""
    photo = cv2.imencode(".jpg", np.full((240, 320, 3), 90, np.uint8))[1].tobytes()
    request = urllib.request.Request("http://127.0.0.1:8420/api/classify", photo, {"Content-Type": "image/jpeg"})
    try:
        with urllib.request.urlopen(request, timeout=120) as reply:
            found: dict[str, object] = json.load(reply)
            return found
    except urllib.error.HTTPError as refusal:
        with refusal:
            return {"status": refusal.code, "said": refusal.read().decode(errors="replace")}


def limits_of(pid: str) -> dict[str, str]:
    """The hard limits of a process, by the kernel's names."""
    lines = Path(f"/proc/{pid}/limits").read_text().splitlines()[1:]
    return {line[:26].strip(): line[26:].split()[1] for line in lines}


def configure(config: str, drop_in: str = "") -> None:
    """Write the settings and what this machine needs beyond the unit, and forget what went before."""
    CONFIG.parent.mkdir(exist_ok=True)
    # one thread: a second one would spin while the emulated cores wait for real ones, for tens of seconds
    CONFIG.write_text(f'[model]\nname = "{HOME}/model.tflite"\nthreads = 1\n{config}')
    DROP_IN.parent.mkdir(exist_ok=True)
    DROP_IN.write_text(HERE_ONLY + drop_in)
    sh("systemctl", "daemon-reload")
    sh("systemctl", "reset-failed", "vitcam")


def install() -> None:
    """As the unit's head says; pip takes the wheels that were brought, and sees what the machine has."""
    sh("python3", "-m", "venv", "--without-pip", "--system-site-packages", str(HOME))
    # the machine's libraries lie in a venv of their own; its .pth files patch picamera2 for the virtual cameras
    (SITE / "machine.pth").write_text("import site; site.addsitedir('/opt/venv/lib/python3.13/site-packages')\n")
    pip = ["/opt/venv/bin/pip", "--python", f"{HOME}/bin/python", "install", "--no-index", "--find-links"]
    print(sh(*pip, str(IO / "wheels"), "vitcam", timeout_s=400), flush=True)
    shutil.copy(IO / "model.tflite", HOME / "model.tflite")
    shutil.copy(IO / "vitcam.service", "/etc/systemd/system/vitcam.service")
    sh("systemctl", "daemon-reload")
    sh("systemctl", "enable", "vitcam")  # a unit that nothing refers to forgets its times and results with its end
    STALL.parent.mkdir(exist_ok=True)


def runs_as_it_should(report: Report) -> None:
    configure(CAMERA)
    began = time.monotonic()
    said = sh("systemctl", "start", "vitcam")
    report.check("start returns once the daemon is ready", unit("ActiveState") == "active", said)
    if unit("ActiveState") != "active":
        return
    print(f"     ready after {time.monotonic() - began:.1f} s", flush=True)
    report.check("it classifies what the camera gives", eventually(lambda: state().get("status") == "ok", 200), state())
    eventually(lambda: " fps" in unit("StatusText"), 20)
    report.check("the status line has label and rate", " fps" in unit("StatusText"), unit("StatusText"))
    report.check("systemctl status shows it", unit("StatusText").split(",")[0] in sh("systemctl", "status", "vitcam"))
    about = Path(f"/proc/{unit('MainPID')}/status").read_text()
    fields = dict(line.split(":\t", 1) for line in about.splitlines() if ":\t" in line)
    report.check("it is not root and has no capabilities", fields["Uid"][0] != "0" and not int(fields["CapEff"], 16))
    report.check("seccomp and no_new_privs hold", (fields["Seccomp"], fields["NoNewPrivs"]) == ("2", "1"))
    print(f"     {fields['VmRSS'].strip()} resident; {sh('systemd-analyze', 'security', 'vitcam').splitlines()[-1]}")
    lines = sh(f"{HOME}/bin/vitcam", "doctor", "--json").splitlines()
    doctor = json.loads(next(line for line in lines if line.startswith("{")))
    found = {check["name"]: check for check in doctor["checks"]}
    report.check("the doctor finds the camera", "picamera: " in found["camera"]["found"], found["camera"])
    report.check("the doctor finds the unit running", found["service"]["status"] == "ok", found["service"])
    report.check("the doctor knows who has the port", "vitcam serves" in found["port"]["found"], found["port"])


def takes_over_settings_at_a_reload(report: Report) -> None:
    configure(CAMERA)
    sh("systemctl", "restart", "vitcam")
    eventually(lambda: state().get("status") == "ok", 200)
    process = unit("MainPID")
    configure(f"{CAMERA}[events]\nenter = 0.8\n")
    said = sh("systemctl", "reload", "vitcam")
    report.check("a reload is a success", unit("ActiveState") == "active" and not said, said)
    wanted = "new values are used for events.enter"
    report.check(
        "the journal names what is used", eventually(lambda: wanted in journal(), 30)
    )  # the signal takes its time
    configure(f"{CAMERA}[events]\nenter = 2\n")
    said = sh("systemctl", "reload", "vitcam")
    report.check("wrong settings end nothing", unit("ActiveState") == "active", said)
    report.check(
        "the status line says that the old ones stay", eventually(lambda: "stay as they were" in unit("StatusText"), 30)
    )
    report.check("it classifies as before", eventually(lambda: state().get("status") == "ok", 60), state())
    report.check("it is the same process", (unit("MainPID"), unit("NRestarts")) == (process, "0"))


def decodes_photos_in_a_process_with_limits(report: Report) -> None:
    configure(CAMERA)
    sh("systemctl", "restart", "vitcam")
    eventually(lambda: state().get("status") == "ok", 200)
    answer = classify_photo()
    report.check("a photo that is sent is answered", "top" in answer, answer)
    decoder = sh("pgrep", "-f", "vitcam.pictures.decoder.child").split()
    report.check("one process decodes it", len(decoder) == 1, decoder)
    limits = limits_of(decoder[0])
    report.check("that process has its limits under the unit, too", limits["Max processes"] == "0", limits)
    report.check("and may write no file", limits["Max file size"] == "0", limits["Max file size"])
    sh("kill", "-KILL", decoder[0])
    again = classify_photo()
    report.check("another takes its place when it dies", "top" in again or "top" in classify_photo(), again)


def runs_commands_in_its_sandbox(report: Report) -> None:
    command = f"command = {json.dumps(['/usr/bin/python3', '-c', ACTS])}\ntimeout_s = 120\n"
    rules = f"[events]\ndwell_s = 0\nenter = 0.1\nleave = 0.01\n[[on]]\n{command}[[on]]\n{WRITES}\n"
    configure(f'[camera]\nsource = "demo"\n{rules}', "Environment=VITCAM_ACTIONS_SECRET=hunter2\n")
    sh("systemctl", "restart", "vitcam")
    report.check("a command runs as part of the service", eventually(ACTED.exists, 200), state().get("actions"))
    acted = json.loads(ACTED.read_text())
    report.check("it gets the event", acted.pop("event") == "event")
    may = {what for what, works in acted.items() if works}
    report.check("it may do what docs/use/actions.md says, and no more", may == ALLOWED, acted)
    lines = Path("/var/lib/vitcam/acted.jsonl")
    report.check("a command writes into the state folder", eventually(lambda: '"event"' in lines.read_text(), 20))


def survives_a_camera_that_is_away(report: Report) -> None:
    configure(CAMERA)
    sh("systemctl", "restart", "vitcam")
    eventually(lambda: state().get("status") == "ok", 200)
    process = unit("MainPID")
    STALL.touch()
    report.check("a stalled camera is no signal", eventually(lambda: state().get("status") == "no_signal", 60), state())
    report.check(
        "the status line says so", eventually(lambda: "no signal" in unit("StatusText"), 10), unit("StatusText")
    )
    time.sleep(45)  # one and a half times WatchdogSec
    report.check("nobody restarts it", (unit("MainPID"), unit("NRestarts")) == (process, "0"))
    STALL.unlink()
    report.check("the picture comes back by itself", eventually(lambda: state().get("status") == "ok", 200), state())
    report.check("in the same process", (unit("MainPID"), unit("NRestarts")) == (process, "0"))
    stop(report, "while the camera runs")


def starts_without_a_camera(report: Report) -> None:
    configure("", "Environment=LIBCAMERA_PIPELINES_MATCH_LIST=none\n")
    sh("systemctl", "start", "vitcam")
    process = unit("MainPID")
    report.check("without a camera it is ready, too", unit("ActiveState") == "active", state())
    time.sleep(45)
    report.check("and stays, saying why", "no camera was found" in unit("StatusText"), unit("StatusText"))
    report.check("nobody restarts it either", (unit("MainPID"), unit("NRestarts")) == (process, "0"))
    stop(report, "without a camera")


def restarts_after_a_hung_inference(report: Report) -> None:
    sabotage = Path("/opt/sabotage")
    sabotage.mkdir(exist_ok=True)
    (sabotage / "sitecustomize.py").write_text(HANGS_ONCE)
    configure(CAMERA, f"Environment=PYTHONPATH={sabotage}\n")
    sh("systemctl", "start", "vitcam")
    process = unit("MainPID")
    report.check("a hung inference is restarted", eventually(lambda: unit("NRestarts") == "1", 300), unit("NRestarts"))
    said = journal()
    report.check("the journal says why", "not fed any more: the model has not answered" in said)
    report.check("and shows where it hung", "Fatal Python error: Aborted" in said and "in hang_once" in said)
    report.check("by the watchdog", "watchdog" in sh("journalctl", "-u", "vitcam", "--no-pager").lower())
    report.check("the new one classifies", eventually(lambda: state().get("status") == "ok", 300), state())
    report.check("it is another process", unit("MainPID") not in (process, "0"))
    stop(report, "after a restart")


def refuses_a_bad_configuration_once(report: Report) -> None:
    configure("[web]\nport = 99999\n")
    sh("systemctl", "start", "vitcam")
    time.sleep(5)
    report.check("a bad configuration ends it for good", unit("ActiveState") == "failed", unit("ActiveState"))
    report.check("with exit code 78", (unit("ExecMainStatus"), unit("NRestarts")) == ("78", "0"))
    wanted = f"{CONFIG}: web.port is 99999; allowed is a whole number from 0 to 65535"
    report.check("and one sentence in the journal", wanted in journal())


def stop(report: Report, when: str) -> None:
    sh("systemctl", "stop", "vitcam")  # by systemd's own clock: starting systemctl takes its time here, too
    took_s = (int(unit("InactiveEnterTimestampMonotonic")) - int(unit("ActiveExitTimestampMonotonic"))) / 1e6
    report.check(f"it stops within 2 s {when}", 0 < took_s < 2, f"{took_s:.2f} s")
    report.check("and that is a success", (unit("Result"), unit("ExecMainStatus")) == ("success", "0"))


def main() -> int:
    report = Report()
    install()
    for part in (
        runs_as_it_should,
        takes_over_settings_at_a_reload,
        decodes_photos_in_a_process_with_limits,
        runs_commands_in_its_sandbox,
        survives_a_camera_that_is_away,
        starts_without_a_camera,
        restarts_after_a_hung_inference,
        refuses_a_bad_configuration_once,
    ):
        before = report.failed
        try:
            part(report)
        except (OSError, ValueError, KeyError, IndexError, subprocess.SubprocessError) as error:
            report.check(f"{part.__name__} ran to its end", False, repr(error))
        if report.failed > before:
            print(journal(), flush=True)
        sh("systemctl", "stop", "vitcam")
    print(f"{report.failed} failed")
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
