"""Runs as root in the machine that `faults.sh` starts: injects faults that a container cannot, under the unit."""

import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from tests.eventually import eventually
from tests.pivm.report import Report, fault
from tests.pivm.systemd_inside import CAMERA, STALL, configure, install, journal, sh, state, unit

SLOW_S = 240  # an emulated machine takes its time
FROZEN = Path("/mnt/frozen")
FLAG = STALL.with_name("camera-in-state-d")
VIVID = Path("/sys/bus/platform/drivers/vivid")
BLOCKS = f"""
import sys
from pathlib import Path

if "vitcam.sources.picamera.child" in sys.orig_argv and "--list" not in sys.orig_argv:
    import picamera2

    capture = picamera2.Picamera2.capture_request

    def blocks(self, *how, **named):
        if Path("{FLAG}").exists():
            Path("{FROZEN}/blocks").write_bytes(b"x")  # a frozen file system lets nobody go, not even by SIGKILL
        return capture(self, *how, **named)

    picamera2.Picamera2.capture_request = blocks
"""
HOG = """
import sys, time
from pathlib import Path
Path("/sys/fs/cgroup/system.slice/vitcam.service/cgroup.procs").write_text(str(__import__("os").getpid()))
hoard = []
while True:
    hoard.append(b"x" * (16 << 20))
    time.sleep(0.02)
"""


def begin(config: str = CAMERA, drop_in: str = "") -> str:
    """Start the unit again; its process once it classifies."""
    configure(config, drop_in)
    sh("systemctl", "restart", "vitcam")
    eventually(plays, SLOW_S)
    return unit("MainPID")


def plays() -> bool:
    return state().get("status") == "ok"


def classified() -> int:
    frames = state().get("frames")
    return int(frames["classified"]) if isinstance(frames, dict) else 0


def goes_on(report: Report, what: str, process: str) -> None:
    """Whether the same process classifies new frames."""
    before, began = classified(), time.monotonic()
    again = eventually(lambda: classified() > before + 2, SLOW_S)
    report.check(f"{what}: it classifies new frames", again, f"after {time.monotonic() - began:.0f} s", state())
    report.check(f"{what}: in the same process", (unit("MainPID"), unit("NRestarts")) == (process, "0"))


@fault(
    "the camera's process is in state D, which not even SIGKILL ends",
    injected="a camera whose driver waits for a frozen file system",
    observed="no signal, with the reason; page and watchdog as before; once the driver lets go, the picture is back",
)
def test_a_camera_process_in_state_d_costs_the_picture_and_nothing_else(report: Report) -> None:
    FROZEN.mkdir(exist_ok=True)
    print(sh("mount", "-o", "loop", "/io/frozen.img", str(FROZEN)))
    FROZEN.chmod(0o777)
    folder = Path("/opt/blocks")
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(BLOCKS)
    process = begin(drop_in=f"Environment=PYTHONPATH={folder}\nReadWritePaths={FROZEN}\n")
    print(sh("fsfreeze", "--freeze", str(FROZEN)))
    FLAG.touch()
    try:
        report.check("state D: no signal", eventually(lambda: state().get("status") == "no_signal", SLOW_S), state())
        stuck = [line for line in sh("ps", "-eo", "stat=,args=").splitlines() if "picamera.child" in line]
        report.check("state D: the process is in it", any(line.startswith("D") for line in stuck), stuck)
        time.sleep(45)  # one and a half times WatchdogSec
        report.check("state D: nobody restarts the daemon", (unit("MainPID"), unit("NRestarts")) == (process, "0"))
        report.check("state D: the page says why", bool(state().get("reason")), state().get("reason"))
        stuck = [line for line in sh("ps", "-eo", "stat=,args=").splitlines() if "picamera.child" in line]
        report.check("state D: processes do not pile up", len(stuck) <= 3, stuck)
    finally:
        FLAG.unlink()
        sh("fsfreeze", "--unfreeze", str(FROZEN))
    report.check("state D: the picture comes back", eventually(plays, SLOW_S), state())
    goes_on(report, "state D", process)


@fault(
    "the clock jumps, forwards and backwards",
    injected="`date --set` by a day, both ways, while it runs",
    observed="frames, watchdog and process are as before; what it says carries the new time",
)
def test_a_clock_that_jumps_changes_nothing_but_the_time_that_is_shown(report: Report) -> None:
    process = begin()
    for days in (1, -2, 1):
        now = datetime.fromtimestamp(time.time() + 86400 * days, UTC)
        sh("date", "--utc", "--set", now.isoformat())
        goes_on(report, f"clock {days:+} days", process)
    time.sleep(45)
    report.check("clock: the watchdog is fed", (unit("MainPID"), unit("NRestarts")) == (process, "0"))


@fault(
    "the clock is wrong at boot and set right later, as on a Pi without a battery",
    injected="`date --set` to 1970 before the start, and back to today while it runs",
    observed="it starts, classifies before and after, and nobody restarts it",
)
def test_a_wrong_clock_at_boot_keeps_nothing_from_working(report: Report) -> None:
    sh("systemctl", "stop", "vitcam")
    today = datetime.now(UTC)
    sh("date", "--utc", "--set", "1970-01-02 00:00:00")
    process = begin()
    report.check("1970: it classifies", plays(), state())
    sh("date", "--utc", "--set", today.isoformat())
    goes_on(report, "1970 and back", process)


@fault(
    "memory pressure up to MemoryMax",
    injected="a process in the unit's control group that takes memory without end",
    observed="the kernel ends that process; the daemon lives and classifies",
)
def test_memory_pressure_up_to_the_limit_leaves_the_daemon_alive(report: Report) -> None:
    begin()
    with subprocess.Popen([sys.executable, "-c", HOG]) as hog:
        Path(f"/proc/{hog.pid}/oom_score_adj").write_text("500")
        ended = eventually(lambda: hog.poll() is not None, SLOW_S)
        report.check("memory: the kernel ended the one that took it", ended and hog.returncode == -9, hog.returncode)
        hog.kill()
    goes_on(report, "memory", unit("MainPID"))
    report.check("memory: the unit is active", unit("ActiveState") == "active", unit("NRestarts"))


@fault(
    "a USB camera is unplugged and back",
    injected="a V4L2 device that its driver lets go and takes again",
    observed="no signal, then the picture again, in the same process",
)
def test_a_usb_camera_unplugged_and_back_gives_its_picture_again(report: Report) -> None:
    print(sh("modprobe", "vivid", "n_devs=1", "node_types=0x1"), sh("udevadm", "settle"))
    process = begin('[camera]\nsource = "/dev/video0"\nwidth = 320\nheight = 240\nfps = 5\n')
    report.check("USB: it plays", plays(), state())
    (VIVID / "unbind").write_text("vivid.0")
    report.check("USB: no signal", eventually(lambda: state().get("status") == "no_signal", SLOW_S), state())
    (VIVID / "bind").write_text("vivid.0")
    report.check("USB: the picture comes back", eventually(plays, SLOW_S), state())
    goes_on(report, "USB", process)


PARTS = (
    test_a_camera_process_in_state_d_costs_the_picture_and_nothing_else,
    test_a_clock_that_jumps_changes_nothing_but_the_time_that_is_shown,
    test_a_wrong_clock_at_boot_keeps_nothing_from_working,
    test_memory_pressure_up_to_the_limit_leaves_the_daemon_alive,
    test_a_usb_camera_unplugged_and_back_gives_its_picture_again,
)


def main() -> int:
    report = Report()
    install()
    for part in PARTS:
        before = report.failed
        try:
            part(report)
        except (OSError, ValueError, KeyError, IndexError, subprocess.SubprocessError) as error:
            report.check(f"{part.__name__} ran to its end", False, repr(error))
        if report.failed > before:
            print(journal()[-4000:], flush=True)
        sh("systemctl", "stop", "vitcam")
    print(f"{report.failed} failed")
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
