"""Webhooks: the event as JSON, signed, in one POST."""

import hashlib
import hmac
import time
from urllib.parse import urlsplit

from vitcam.parts.alerts.deliveries import Sent, Transport
from vitcam.parts.alerts.http_post import judged, send
from vitcam.parts.alerts.settings import OnSettings
from vitcam.parts.alerts.task import Task
from vitcam.storage.outbox import Delivery

TIMESTAMP, SIGNATURE = "X-Vitcam-Timestamp", "X-Vitcam-Signature"


class Webhook(Transport):
    """secret: signs each attempt; empty: none is signed. Any thread may replace it."""

    kind = "webhook"
    thread = "webhooks"

    def __init__(self, secret: str) -> None:
        self.secret = secret

    def destination(self, rule: OnSettings) -> str:
        return rule.webhook

    def text(self, task: Task) -> str:
        return task.text

    async def send(self, delivery: Delivery) -> Sent:
        url, body = delivery.destination, delivery.body.encode()
        own = {"Content-Type": "application/json", "Idempotency-Key": delivery.key}
        answer = await send(url, body, own | signed(self.secret, int(time.time()), body))
        return Sent(judged(urlsplit(url).netloc, answer))


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
