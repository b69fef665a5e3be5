"""Reverse proxies that show a vitcam below a path, by https and HTTP/2, as the examples of docs/use/access.md say."""

import os
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from tests.certificates import make_certificate
from tests.daemon import free_port
from tests.eventually import eventually
from tests.needs import need_program

BASE = "/cameras/vitcam"
_DOCS = Path(__file__).parents[1] / "docs/use/access.md"


@contextmanager
def proxy(name: str, upstream: str, folder: Path, *, strips: bool = True, says: bool = True) -> Iterator[str]:
    """The address at which nginx or Caddy shows `upstream`, with a slash at its end.

    strips  whether it takes the path away
    says    whether it sends X-Forwarded-Prefix
    """
    program = need_program(name)
    folder.mkdir(parents=True)
    port = free_port()
    text = _example(name).replace("192.168.1.20:8420", urlsplit(upstream).netloc)
    if not says:
        text = re.sub(r".*X-Forwarded-Prefix.*\n", "", text)
    if not strips:
        text = text.replace(f"{urlsplit(upstream).netloc}/;", f"{urlsplit(upstream).netloc};")
        text = text.replace("handle_path", "handle")
    config = {"nginx": _nginx, "caddy": _caddy}[name](text, port, folder)
    if name == "nginx":
        command = [program, "-p", str(folder), "-e", "error.log", "-c", str(config)]
    else:
        command = [program, "run", "--config", str(config), "--adapter", "caddyfile"]
    environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    try:
        assert eventually(lambda: _listens(port) or process.poll() is not None)
        assert process.poll() is None, (folder / "output").read_text()
        yield f"https://127.0.0.1:{port}{BASE}/"
    finally:
        process.terminate()
        process.wait(20)


def _example(name: str) -> str:
    """The block of the page in the proxy's own language."""
    language = {"caddy": "caddyfile"}.get(name, name)
    found = re.search(rf"```{language}\n(.*?)```", _DOCS.read_text(), re.DOTALL)
    assert found is not None
    return found[1]


def _nginx(location: str, port: int, folder: Path) -> Path:
    certificate, key = make_certificate(folder)
    temporary = " ".join(f"{kind}_temp_path {kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    config = folder / "nginx.conf"
    config.write_text(
        f"{'user root;' if os.geteuid() == 0 else ''} daemon off; worker_processes 1; pid pid; error_log error.log;\n"
        f"events {{ worker_connections 256; }}\nhttp {{ access_log off; {temporary}\n"
        f"server {{ listen 127.0.0.1:{port} ssl http2; ssl_certificate {certificate}; ssl_certificate_key {key};\n"
        f"{location}\nlocation / {{ return 404; }} }} }}\n"
    )
    return config


def _caddy(site: str, port: int, folder: Path) -> Path:
    certificate, key = make_certificate(folder)
    config = folder / "Caddyfile"
    config.write_text(
        "{\n admin off\n auto_https off\n default_sni camera.test\n}\n"
        + site.replace("home.example {", f"https://127.0.0.1:{port} {{\n bind 127.0.0.1\n tls {certificate} {key}\n", 1)
    )
    return config


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False
