"""The daemon's systemd unit, its port, and who may watch."""

import errno
import json
import shutil
import socket
import ssl
import urllib.error
import urllib.request
from contextlib import nullcontext

from vitcam.access.password import VARIABLE, load_password
from vitcam.access.tokens import load_tokens
from vitcam.config.web import WebSettings
from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.errors import ConfigError
from vitcam.folders import state_folder
from vitcam.processes.command import run_with_timeout
from vitcam.storage.owner import owned
from vitcam.web.requests.allowed_hosts import is_loopback
from vitcam.web.tls import CertificateFiles

UNIT = "vitcam.service"
_ASKS = "it asks for its password"


def unit(context: CheckContext) -> CheckResult:
    """Whether the unit is installed and active."""
    if not shutil.which("systemctl") or not (context.machine.root / "run/systemd/system").exists():
        return CheckResult("ok", "no systemd here; start vitcam by hand")
    reply = run_with_timeout(
        ["systemctl", "show", UNIT, "--property=LoadState,ActiveState,SubState,UnitFileState,StatusText,NRestarts"], 10
    )
    if reply.code != 0:
        return CheckResult("warn", f"systemd does not answer: {reply.last_words}", f"systemctl status {UNIT}")
    return _unit_result(dict(line.partition("=")[::2] for line in reply.out.splitlines()))


def _unit_result(unit: dict[str, str]) -> CheckResult:
    if unit.get("LoadState") == "not-found":
        return CheckResult("ok", f"{UNIT} is not installed; start vitcam by hand")
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
    """Whether the port is free, or used by vitcam itself."""
    web = context.settings.web
    address = f"{web.host}:{web.port}"
    if not web.enabled:
        return CheckResult("ok", "the web server is switched off")
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(web.host, web.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as listener:
            listener.setsockopt(
                socket.SOL_SOCKET, socket.SO_REUSEADDR, 1
            )  # as the web server does, so that TIME_WAIT does not matter
            listener.bind(where)
    except OSError as error:
        return _refused(context, address, error)
    return CheckResult("ok", f"{address} is free")


def _refused(context: CheckContext, address: str, error: OSError) -> CheckResult:
    web = context.settings.web
    if error.errno == errno.EADDRINUSE:
        if answer := _vitcam_at(web):
            return CheckResult("ok", f"vitcam serves at {address}: {answer}")
        other = web.port + 1 if web.port < 65535 else 8420
        fix = f"take another one: --port {other}; to see who uses it: sudo ss -ltnp sport = :{web.port}"
        return CheckResult("fail", f"{address} is used by another program", fix)
    if error.errno in (errno.EACCES, errno.EPERM):
        return CheckResult("fail", f"{address} is reserved for root", "take a port of 1024 or more: --port 8420")
    return CheckResult(
        "fail", f"{address} cannot be bound: {error.strerror}", "take an address of this machine: --host 0.0.0.0"
    )


def _vitcam_at(web: WebSettings) -> str:
    """Status and model of the vitcam that serves there; empty if it is another program."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(web.host, web.host)
    name = f"[{reachable}]" if ":" in reachable else reachable
    scheme = "https" if web.certificate else "http"
    unverified = ssl.create_default_context()
    unverified.check_hostname, unverified.verify_mode = (
        False,
        ssl.CERT_NONE,
    )  # this machine asks itself, by an address that no certificate has
    try:
        address = f"{scheme}://{name}:{web.port}/api/state"
        with urllib.request.urlopen(address, timeout=3, context=unverified) as reply:  # noqa: S310 - http or https
            state = json.load(reply)
        return f"{state['status']}, {state['model']}"
    except urllib.error.HTTPError as refusal:
        with refusal:
            return _ASKS if refusal.code == 401 and refusal.headers["Server"] == "vitcam" else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def access(context: CheckContext) -> CheckResult:
    """Whether `vitcam run` would start with these settings, and who could watch."""
    web, environ = context.settings.web, context.machine.environ
    if not web.enabled:
        return CheckResult("ok", "the web server is switched off")
    try:
        if files := CertificateFiles.named(web.certificate, web.key):
            files.context()
        way = "https" if files else "http, not encrypted"
        if is_loopback(web.host):
            return CheckResult("ok", f"programs on this machine only ({way})")
        if web.open:
            return CheckResult(
                "warn", f"everybody who reaches {web.host} ({way})", "vitcam config show; web.open is true"
            )
        folder = state_folder(environ)
        with owned(folder).acting() if folder else nullcontext() as path:
            tokens = load_tokens(path) if path else ()
            password = load_password(path) if path else None
        if not environ.get(VARIABLE) and password is None:
            if _vitcam_at(web) == _ASKS:  # the service keeps its password where this user may not look
                return CheckResult("ok", f"who has the password of the vitcam that serves there ({way})")
            return CheckResult("fail", f"{web.host} can be reached, and there is no password", "vitcam password")
    except ConfigError as error:
        found, _, fix = str(error).rpartition("; ")
        return CheckResult("fail", found, fix)
    return CheckResult("ok", f"who has the password or one of {len(tokens)} tokens ({way})")
