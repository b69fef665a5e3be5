"""How a webhook proves that it comes from this vitcam: HMAC-SHA256 over the time and the body."""

import hashlib
import hmac

TIMESTAMP, SIGNATURE = "X-Vitcam-Timestamp", "X-Vitcam-Signature"


def signed(secret: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The headers for a body; without a secret the time alone.

    timestamp  seconds since the epoch
    source     RFC 2104; the time is signed, too, so that nobody can send an old one again unnoticed
    """
    headers = {TIMESTAMP: str(timestamp)}
    if secret:
        digest = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
        headers[SIGNATURE] = f"sha256={digest}"
    return headers
