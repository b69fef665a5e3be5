"""Who may watch: whether the address, the password and the certificate fit together."""

from contextlib import nullcontext

from vitcam.access.password import VARIABLE, load_password
from vitcam.access.tokens import load_tokens
from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.errors import ConfigError
from vitcam.folders import state_folder
from vitcam.storage.owner import owned
from vitcam.web.requests.allowed_hosts import is_loopback
from vitcam.web.tls import CertificateFiles


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
            return CheckResult("fail", f"{web.host} can be reached, and there is no password", "vitcam password")
    except ConfigError as error:
        found, _, fix = str(error).rpartition("; ")
        return CheckResult("fail", found, fix)
    return CheckResult("ok", f"who has the password or one of {len(tokens)} tokens ({way})")
