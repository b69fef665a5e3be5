"""Where the daemon runs: the systemd unit, and the port it serves on."""

import errno
import json
import shutil
import socket
import urllib.request

from vitcam.commands.doctor.check import CheckContext, CheckResult
from vitcam.processes.bounded import run_bounded

UNIT = "vitcam.service"


def unit(context: CheckContext) -> CheckResult:
    """Whether systemd knows the unit and keeps it up."""
    if not shutil.which("systemctl") or not (context.machine.root / "run/systemd/system").exists():
        return CheckResult("ok", "no systemd here: vitcam runs when it is started by hand")
    shown = run_bounded(
        ["systemctl", "show", UNIT, "--property=LoadState,ActiveState,SubState,UnitFileState,StatusText,NRestarts"], 10
    )
    if shown.code != 0:
        return CheckResult("warn", f"systemd does not answer: {shown.last_words}", f"systemctl status {UNIT}")
    return _judged(dict(line.partition("=")[::2] for line in shown.out.splitlines()))


def _judged(unit: dict[str, str]) -> CheckResult:
    if unit.get("LoadState") == "not-found":
        return CheckResult("ok", f"{UNIT} is not installed: vitcam runs when it is started by hand")
    if unit.get("LoadState") != "loaded":
        return CheckResult("fail", f"{UNIT} is {unit.get('LoadState', 'unknown')}", f"systemd-analyze verify {UNIT}")
    state = f"{unit.get('ActiveState')} ({unit.get('SubState')}), {unit.get('NRestarts', '0')} restarts"
    if unit.get("ActiveState") == "active":
        status = unit.get("StatusText")
        return CheckResult("ok", f"{state}: {status}" if status else state)
    if unit.get("ActiveState") == "inactive":
        return CheckResult("warn", state, f"sudo systemctl enable --now {UNIT}")
    return CheckResult("fail", state, f"journalctl -u {UNIT} -n 50")


def port(context: CheckContext) -> CheckResult:
    """Whether the page's port is free, or taken by vitcam itself."""
    web = context.settings.web
    address = f"{web.host}:{web.port}"
    if not web.enabled:
        return CheckResult("ok", "the web server is switched off")
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(web.host, web.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as door:
            door.setsockopt(
                socket.SOL_SOCKET, socket.SO_REUSEADDR, 1
            )  # as the web server does: TIME_WAIT is no hindrance
            door.bind(where)
    except OSError as error:
        return _refused(context, address, error)
    return CheckResult("ok", f"{address} is free")


def _refused(context: CheckContext, address: str, error: OSError) -> CheckResult:
    web = context.settings.web
    if error.errno == errno.EADDRINUSE:
        if answer := _vitcam_at(web.host, web.port):
            return CheckResult("ok", f"vitcam serves at {address}: {answer}")
        other = web.port + 1 if web.port < 65535 else 8420
        fix = f"take another: --port {other}; who has it: sudo ss -ltnp sport = :{web.port}"
        return CheckResult("fail", f"{address} is taken by another program", fix)
    if error.errno in (errno.EACCES, errno.EPERM):
        return CheckResult("fail", f"{address} is reserved for root", "take a port of 1024 or more: --port 8420")
    return CheckResult(
        "fail", f"{address} cannot be bound: {error.strerror}", "take an address of this machine: --host 0.0.0.0"
    )


def _vitcam_at(host: str, port: int) -> str:
    """What vitcam's own state says, if it is vitcam that serves there."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    shown = f"[{reachable}]" if ":" in reachable else reachable
    try:
        with urllib.request.urlopen(f"http://{shown}:{port}/api/state", timeout=3) as reply:
            state = json.load(reply)
        return f"{state['status']}, {state['model']}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""
