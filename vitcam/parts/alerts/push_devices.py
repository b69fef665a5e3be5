"""Browsers that were allowed to get messages by Web Push, and the key that signs them: a file only its owner may read.

source  W3C Push API, PushSubscription.toJSON(); RFC 8291 for the keys of a subscription
"""

import base64
import binascii
import json
import logging
import secrets
import threading
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from vitcam.config.validators import is_web_address
from vitcam.errors import UsageError
from vitcam.storage.entries import Entries
from vitcam.storage.state_file import StateFile
from vitcam.text import shortened

log = logging.getLogger(__name__)

MOST_DEVICES = 16
_LONGEST_ENDPOINT, _LONGEST_NAME = 1000, 60
_POINT_BYTES, _SECRET_BYTES = 65, 16  # RFC 8291, 3.1 and 3.2
_FORM = 'send {"endpoint": "https://…", "keys": {"p256dh": "…", "auth": "…"}, "name": "Firefox on Android"}'


@dataclass(frozen=True, slots=True)
class PushDevice:
    """One browser."""

    id: str
    name: str
    """For people."""
    endpoint: str
    """Where messages are sent. Who knows it and the keys can send some, so it is a secret."""
    p256dh: str
    """Its public key: an uncompressed point of P-256, in base64url."""
    auth: str
    """16 bytes in base64url."""
    added_s: float
    """Seconds since the epoch."""

    @classmethod
    def of(cls, body: Any) -> Self:
        """What a browser sent. Raises UsageError with one sentence."""
        keys = body.get("keys") if isinstance(body, dict) else None
        if not isinstance(keys, dict):
            raise UsageError(_FORM)
        found = cls(
            secrets.token_hex(4),
            str(body.get("name") or "a browser"),
            body.get("endpoint", ""),
            keys.get("p256dh", ""),
            keys.get("auth", ""),
            time.time(),
        )
        return found.checked()

    def checked(self) -> Self:
        """Itself. Raises UsageError for what is not a subscription; any field may hold anything."""
        texts = (self.id, self.name, self.endpoint, self.p256dh, self.auth)
        if not all(isinstance(text, str) for text in texts) or not _is_time(self.added_s):
            raise UsageError(_FORM)
        if not 0 < len(self.name) <= _LONGEST_NAME or not self.name.isprintable():
            raise UsageError(f"the name of the browser must be a text of 1 to {_LONGEST_NAME} characters on one line")
        if len(self.endpoint) > _LONGEST_ENDPOINT or not is_web_address(self.endpoint) or not self.is_secure:
            raise UsageError(
                f"{shortened(repr(self.endpoint))} is not an address of a push service; it begins with https:// and "
                f"has {_LONGEST_ENDPOINT:,} characters at most"
            )
        point, secret = self.point, self.secret
        if len(point) != _POINT_BYTES or point[0] != 4 or len(secret) != _SECRET_BYTES:
            raise UsageError("the keys of the subscription are invalid; allow messages in the browser again")
        return self

    @property
    def is_secure(self) -> bool:
        return urlsplit(self.endpoint).scheme == "https"

    @property
    def point(self) -> bytes:
        return _decoded(self.p256dh)

    @property
    def secret(self) -> bytes:
        return _decoded(self.auth)


class PushDevices:
    """The devices of a run, and its key. What cannot be read of their file stays there. Any thread may call it.

    folder  the state folder; None: nothing is kept
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = StateFile(folder / "push.json", private=True) if folder else None
        self._lock = threading.Lock()
        self._content = (self._file.read_if_good(_parsed) if self._file else None) or {"key": "", "devices": []}
        self._entries = Entries.of_list(self._content["devices"], "id", _read, MOST_DEVICES)
        self._devices = tuple(self._entries)
        for unread in self._entries.unread:
            log.warning("a browser that got messages is left out: %s", unread.reason)

    @property
    def all(self) -> tuple[PushDevice, ...]:
        """The oldest first."""
        return self._devices

    def key(self) -> str:
        """The private key in PEM. It is made and kept when somebody asks for the first time.

        raises  OSError if it cannot be written, ImportError where the library is missing, ValueError if what is kept
                is no key
        """
        with self._lock:
            if not isinstance(self._content["key"], str):
                raise ValueError("push.json holds no key")
            if not self._content["key"]:
                from py_vapid import Vapid02

                made = Vapid02()
                made.generate_keys()
                self._write(self._devices, made.private_pem().decode())
            return str(self._content["key"])

    def add(self, device: PushDevice) -> None:
        """Keep one; it takes the place of the same browser's. Raises UsageError where there are enough, OSError."""
        with self._lock:
            others = tuple(each for each in self._devices if each.endpoint != device.endpoint)
            if len(others) >= MOST_DEVICES:
                raise UsageError(f"{MOST_DEVICES} browsers get messages already; remove one of them first")
            self._write((*others, device))

    def remove(self, id_: str) -> bool:
        """False: there is none. Raises OSError."""
        with self._lock:
            others = tuple(each for each in self._devices if each.id != id_)
            if found := len(others) < len(self._devices):
                self._write(others)
            return found

    def _write(self, devices: tuple[PushDevice, ...], key: str | None = None) -> None:
        content = self._content if key is None else {**self._content, "key": key}
        if self._file is not None:
            records = self._entries.list(map(asdict, devices), "id")
            self._file.write(json.dumps({**content, "devices": records}, indent=1))
        self._content, self._devices = content, devices


def _read(record: Any) -> PushDevice:
    """Raises UsageError for what is not a subscription, TypeError or LookupError for what never was one."""
    return PushDevice(**{each.name: record[each.name] for each in fields(PushDevice)}).checked()


def _parsed(text: str) -> dict[str, Any]:
    """Raises ValueError, TypeError or LookupError if it is damaged."""
    content = json.loads(text)
    if "key" not in content or not isinstance(content["devices"], list):
        raise ValueError("it holds no key and no devices")
    return dict(content)


def _decoded(text: str) -> bytes:
    """Base64url without padding, RFC 7515; empty where it is not."""
    try:
        return base64.urlsafe_b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))
    except (binascii.Error, ValueError):
        return b""


def _is_time(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e11
