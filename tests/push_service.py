"""A push service, and a browser that is subscribed to it: both do what the standards say, with code of their own.

source  RFC 8030 (the service), RFC 8291 and 8188 (what the browser decrypts), RFC 8292 (the signature)
"""

import base64
import hashlib
import hmac
import http.server
import json
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.certificates import make_certificate
from tests.served import served

_CURVE = ec.SECP256R1()


class Browser:
    """Has the keys of a subscription. Without any it makes new ones.

    key   private, a number of 32 bytes in base64url
    auth  16 bytes in base64url
    """

    def __init__(self, key: str = "", auth: str = "AAECAwQFBgcICQoLDA0ODw") -> None:
        number = int.from_bytes(decoded(key))
        self._key = ec.derive_private_key(number, _CURVE) if key else ec.generate_private_key(_CURVE)
        self._auth = decoded(auth)

    @property
    def point(self) -> bytes:
        found: bytes = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return found

    def subscription(self, endpoint: str) -> dict[str, Any]:
        """As `PushSubscription.toJSON()` gives it, with a name."""
        keys = {"p256dh": encoded(self.point), "auth": encoded(self._auth)}
        return {"endpoint": endpoint, "expirationTime": None, "keys": keys, "name": "Firefox, Linux"}

    def decrypt(self, body: bytes) -> bytes:
        """One record, as RFC 8291, 3.4 and RFC 8188, 2 say. Raises cryptography's InvalidTag for anything else."""
        salt, length = body[:16], body[20]
        sender, sealed = body[21 : 21 + length], body[21 + length :]
        shared = self._key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, sender))
        secret = _hash(_hash(self._auth, shared), b"WebPush: info\0" + self.point + sender + b"\1")
        first = _hash(salt, secret)
        key = _hash(first, b"Content-Encoding: aes128gcm\0\1")[:16]
        nonce = _hash(first, b"Content-Encoding: nonce\0\1")[:12]
        plain: bytes = AESGCM(key).decrypt(nonce, sealed, None).rstrip(b"\0")
        assert plain[-1] == 2  # the last record
        return plain[:-1]


@dataclass
class PushService:
    """Takes messages, and answers each with the status that `answer` gives for its number, from 0."""

    answer: Callable[[int], int]
    url: str = ""
    certificate: Path = Path()
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def claims(self, number: int, key: str) -> dict[str, Any]:
        """What the sender of a message says of itself, if this key signed it (RFC 8292, 2; RFC 7515)."""
        scheme, _, rest = self.headers[number]["authorization"].partition(" ")
        fields = dict(part.strip().split("=", 1) for part in rest.split(","))
        head, claims, signature = fields["t"].split(".")
        assert (scheme, fields["k"]) == ("vapid", key)
        assert json.loads(decoded(head))["alg"] == "ES256"
        half = [int.from_bytes(part) for part in (decoded(signature)[:32], decoded(signature)[32:])]
        public = ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, decoded(key))
        public.verify(encode_dss_signature(*half), f"{head}.{claims}".encode(), ec.ECDSA(SHA256()))
        found: dict[str, Any] = json.loads(decoded(claims))
        assert time.time() < found["exp"] <= time.time() + 86400
        return found


@contextmanager
def push_service(folder: Path, answer: Callable[[int], int] = lambda _: 201) -> Iterator[PushService]:
    """Serves https on 127.0.0.1. folder: for its certificate"""
    certificate, key = make_certificate(folder, "push.test", "127.0.0.1")
    found = PushService(answer, certificate=certificate)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            number = len(found.bodies)
            found.headers.append({name.lower(): value for name, value in self.headers.items()})
            found.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(found.answer(number))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    found.url = f"https://127.0.0.1:{server.server_port}"
    with served(server):
        yield found


def encoded(data: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _hash(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, hashlib.sha256).digest()
