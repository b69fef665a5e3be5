"""Opens the service to the network: the address in its configuration, and a password in its state folder."""

import contextlib
import os
import re
import socket
import tomllib
from pathlib import Path
from typing import Any

from vitcam.access.password import PasswordHash, load_password, new_password, save_password
from vitcam.config.load import merge_layers
from vitcam.config.settings import Settings
from vitcam.config.web import WebSettings
from vitcam.errors import ConfigError
from vitcam.machine import own_address
from vitcam.service.places import Instance, Places
from vitcam.storage.files import atomic_write
from vitcam.storage.owner import owned
from vitcam.storage.reading import read_text
from vitcam.web.requests.allowed_hosts import is_local

_MOST_BYTES = 65_536
_EVERYWHERE = "0.0.0.0"
_HOST = f'host = "{_EVERYWHERE}"'
_WEB_HEAD = re.compile(r"^[ \t]*\[[ \t]*web[ \t]*\][ \t]*(#.*)?$", re.MULTILINE)
_HOST_LINE = re.compile(r"^([ \t]*)host[ \t]*=[ \t]*(\"[^\"\n]*\"|'[^'\n]*')", re.MULTILINE)
_ANY_HEAD = re.compile(r"^[ \t]*\[", re.MULTILINE)


def settings_of(places: Places, instance: Instance) -> Settings:
    """What the configuration files say, as the service reads them. Raises ConfigError for invalid ones."""
    own = instance.config(places) if instance.name else None
    return merge_layers(own, [], {}, {}, places.system_config).settings


def bind_to_network(path: Path) -> bool:
    """Set `web.host` in a configuration file and leave all else as it is; whether that was necessary.

    An address that others can reach stays as it is. Missing files are made.

    raises  ConfigError if the file is not TOML, or says it in a way that cannot be changed safely; OSError
    """
    path = path.resolve()
    before = _text(path)
    content = _parsed(path, before)
    web = content.get("web", {})
    if isinstance(web, dict) and "host" in web and not is_local(str(web["host"])):
        return False
    after = _with_host(before)
    wanted = content | {"web": (web if isinstance(web, dict) else {}) | {"host": _EVERYWHERE}}
    with contextlib.suppress(tomllib.TOMLDecodeError):
        if tomllib.loads(after) == wanted:  # whatever the lines looked like, this one setting is all that has changed
            _replace(path, after)
            return True
    raise ConfigError(f"{path}: web.host is set in a way that vitcam does not change; write {_HOST} below [web] there")


def ensure_password(folder: Path) -> str | None:
    """Make a password unless there is one. Returns the new one; it is kept as a hash only.

    folder  the service's state folder; before its first start it is made where systemd expects it
    raises  ConfigError if the file of the password cannot be read; OSError if it cannot be written
    """
    with owned(folder).acting() as path:
        if load_password(path) is not None:
            return None
    if not folder.exists():
        _make_state_folder(folder)
    password = new_password()
    kept = PasswordHash.of_password(password)
    with owned(folder).acting() as path:
        save_password(path, kept)
    return password


def reachable_address(web: WebSettings) -> str:
    """The address to open in a browser; empty if the page is switched off or its port is chosen at the start."""
    if not web.enabled or web.port == 0:
        return ""
    host = own_address() if web.host in (_EVERYWHERE, "::") else web.host
    scheme = "https" if web.certificate else "http"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{web.port}"


def local_name() -> str:
    """What Avahi calls this machine. Another machine of that name in the network makes it add -2 to it."""
    return f"{socket.gethostname().partition('.')[0].lower()}.local"


def _text(path: Path) -> str:
    try:
        return read_text(path, _MOST_BYTES)
    except FileNotFoundError:
        return ""
    except ValueError as error:
        raise ConfigError(f"{path}: {error}, then try again") from error


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: is not TOML: {error}") from error


def _with_host(text: str) -> str:
    """The text with the address on a line below [web]. It is only a proposal: the caller parses it."""
    head = _WEB_HEAD.search(text)
    if head is None:
        return f"{text.rstrip()}\n\n[web]\n{_HOST}\n".lstrip("\n")
    following = _ANY_HEAD.search(text, head.end())
    end = following.start() if following else len(text)
    body = text[head.end() : end]
    changed, count = _HOST_LINE.subn(rf"\1{_HOST}", body, count=1)
    return text[: head.end()] + (changed if count else f"\n{_HOST}{body}") + text[end:]


def _replace(path: Path, text: str) -> None:
    """The whole new file or the old one, with the old one's owner and mode."""
    path.parent.mkdir(0o755, parents=True, exist_ok=True)
    with atomic_write(path, private=True) as partial:
        partial.write_text(text, encoding="utf-8")
        old = path.stat() if path.exists() else None
        partial.chmod(old.st_mode & 0o7777 if old else 0o644)
        if old and os.geteuid() == 0:
            os.chown(partial, old.st_uid, old.st_gid)


def _make_state_folder(folder: Path) -> None:
    """As systemd makes it for DynamicUser=: in private/, which only root enters, with a link beside.

    At its next start systemd gives the folder and what is in it to the service's user.

    source  systemd.exec(5) on StateDirectory= and DynamicUser=
    """
    private = folder.parent / "private"
    private.mkdir(0o700, parents=True, exist_ok=True)
    (private / folder.name).mkdir(0o750, exist_ok=True)
    folder.unlink(missing_ok=True)  # a link that leads nowhere
    folder.symlink_to(f"private/{folder.name}")
