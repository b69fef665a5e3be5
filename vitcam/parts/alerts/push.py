"""Messages to browsers by Web Push: encrypted for each, signed, and sent to the push service of its maker.

source  RFC 8030 (the request), RFC 8291 and 8188 (encryption), RFC 8292 (VAPID, the signature)
"""

import json
import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from vitcam.errors import UsageError
from vitcam.parts.alerts.http_post import RetryLater, send
from vitcam.parts.alerts.notification import body, title
from vitcam.parts.alerts.push_devices import PushDevice, PushDevices
from vitcam.parts.alerts.task import ActionFailed, Task, is_made_up

log = logging.getLogger(__name__)

MISSING = "http-ece and py-vapid are not installed, so no message can be sent to browsers; install vitcam[push]"
_KEPT_S = 4 * 3600  # by the push service, for a phone that is off: later nobody wants to know
_VALID_S = 12 * 3600  # RFC 8292: 24 hours at most, and clocks differ
_CONTACT = "mailto:vitcam@example.com"  # services ask for some address, and vitcam has none
_GONE = (404, 410)
_REFUSED = (401, 403)
_MOST_TEXT = 200  # characters: a push service takes 4,096 bytes


def has_push() -> bool:
    """Whether the libraries are there."""
    return all(find_spec(name) for name in ("http_ece", "py_vapid"))


class Push:
    """Sends a message to every device. One that its service does not know any more is removed."""

    def __init__(self, devices: PushDevices) -> None:
        self._devices = devices

    def __call__(self, task: Task) -> str:
        """Raises ActionFailed where no device got it, or one did not."""
        if not has_push():
            raise ActionFailed(MISSING)
        if not self._devices.all:
            raise ActionFailed("no browser is allowed to get messages; allow it on the page, below Alerts")
        message = _message(task.record, task.rule.name)
        failed = []
        for device in (devices := self._devices.all):
            try:
                self._send(device, message)
            except RetryLater as error:
                failed.append(f"{device.name}: {error}")
        if failed:
            raise ActionFailed(f"{len(failed)} of {len(devices)} browsers did not get it: {'; '.join(failed)}")
        return f"{len(devices)} {'browser has' if len(devices) == 1 else 'browsers have'} got it"

    def _send(self, device: PushDevice, message: bytes) -> None:
        """Raises RetryLater with the reason."""
        host = urlsplit(device.endpoint).netloc
        try:
            sealed = encrypted(device, message)
            headers = signature(self._devices.key(), device.endpoint)
        except (UsageError, OSError, ValueError) as error:
            raise RetryLater(f"it could not be encrypted ({error})") from None
        own = {"Content-Type": "application/octet-stream", "Content-Encoding": "aes128gcm"}
        sent = {**own, "TTL": str(_KEPT_S), "Urgency": "high", **headers}
        import asyncio  # few daemons need it before the first picture is classified

        status = asyncio.run(send(device.endpoint, sealed, sent)).status
        if status in _GONE:
            with suppress(OSError):
                self._devices.remove(device.id)
            raise RetryLater(f"{host} does not know it any more, so it was removed")
        if status in _REFUSED:
            raise RetryLater(f"{host} answered {status}; it trusts no signature whose clock is wrong")
        if not 200 <= status < 300:
            raise RetryLater(f"{host} answered {status}")


def encrypted(device: PushDevice, message: bytes) -> bytes:
    """What only this browser can read. Raises UsageError for keys that are none."""
    import http_ece
    from cryptography.hazmat.primitives.asymmetric import ec

    try:
        sealed: bytes = http_ece.encrypt(
            message,
            private_key=ec.generate_private_key(ec.SECP256R1()),
            dh=device.point,
            auth_secret=device.secret,
            version="aes128gcm",
        )
    except (ValueError, http_ece.ECEException):
        raise UsageError("the keys of the subscription are invalid; allow messages in the browser again") from None
    return sealed


def signature(key: str, endpoint: str) -> dict[str, str]:
    """The header that says who sends: with the private key in PEM, for the service of this address.

    raises  UsageError for an address that no push service has, such as one of IPv6
    """
    from py_vapid import Vapid02, VapidException

    parts = urlsplit(endpoint)
    claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": int(time.time()) + _VALID_S, "sub": _CONTACT}
    try:
        headers: dict[str, str] = Vapid02.from_pem(key.encode()).sign(claims)
    except VapidException:
        raise UsageError(f"{parts.netloc} cannot be the address of a push service; give its name") from None
    return headers


def public_key(key: str) -> str:
    """What a browser needs to allow messages of this sender: an uncompressed point in base64url. key: private, PEM"""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    from py_vapid import Vapid02
    from py_vapid.utils import b64urlencode

    point = Vapid02.from_pem(key.encode()).public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return str(b64urlencode(point))


def _message(record: Mapping[str, Any], rule: str) -> bytes:
    address = "" if is_made_up(record["id"]) else f"#event/{record['id']}"
    message = {"title": title(record)[:_MOST_TEXT], "body": body(record)[:_MOST_TEXT], "tag": rule, "open": address}
    return json.dumps(message, ensure_ascii=False).encode()
