"""Messages to phones through an ntfy server, with the picture of the event.

source  https://docs.ntfy.sh/publish (headers, attachments, limits, access tokens)
"""

import json
import secrets
from collections.abc import Iterator
from contextlib import nullcontext
from email.header import Header
from urllib.parse import urlsplit

from vitcam.config.web import WebSettings
from vitcam.errors import VitcamError
from vitcam.parts.alerts.deliveries import Sent, Transport
from vitcam.parts.alerts.http_post import Answer, Refused, judged, send
from vitcam.parts.alerts.notification import Picture, body, title
from vitcam.parts.alerts.settings import OnSettings
from vitcam.parts.alerts.task import Task, is_made_up
from vitcam.sentence import Sentence
from vitcam.storage.outbox import Delivery
from vitcam.web.address import network_address

_PUBLIC_SERVER = "https://ntfy.sh"
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that is taken for another one: a person may have to type it
_LONG = 16  # letters: 79 bits
_TAGS = {"seen": "eyes", "unknown": "grey_question", "problem": "warning"}
"""Kind of event -> the name of an emoji, which ntfy shows before the title."""
_SIDES = (1280, 640, 320)  # px
_QUALITY = 70
_TIMEOUT_S = 30.0  # a picture of 500 kB takes 8 s where a line sends 0.5 Mbit/s
_TOO_LARGE = 413
_NO_PICTURES = frozenset({40014, 42905})
"""ntfy's own numbers: this server takes no attachments; too many bytes came on this day."""
_NO_ACCESS = (401, 403)


class Ntfy(Transport):
    """A topic is the destination, and behind a `#` its access token.

    picture  JPEG of the event with this id, to be sent within the context; may wait a moment for it
    web      where the page is
    """

    kind = "ntfy"
    thread = "ntfy"

    def __init__(self, picture: Picture, web: WebSettings) -> None:
        self._picture = picture
        self._web = web

    def destination(self, rule: OnSettings) -> str:
        return f"{rule.ntfy}#{rule.ntfy_token}" if rule.ntfy and rule.ntfy_token else rule.ntfy

    def text(self, task: Task) -> str:
        """The message as JSON, without the picture: masks may be drawn until it is sent."""
        record, page = task.record, network_address(self._web)  # a machine may get another address at any time
        place = "#alerts" if is_made_up(task.event_id) else f"#event/{task.event_id}"
        message = {
            "title": title(record),
            "message": body(record),
            "tags": _TAGS[record["kind"]],
            "click": page and f"{page}/{place}",
            "picture": task.picture_of,
        }
        return json.dumps(message, ensure_ascii=False)

    async def send(self, delivery: Delivery) -> Sent:
        """Where the server does not take the picture, a smaller one goes, and in the end none."""
        topic, _, token = delivery.destination.partition("#")
        message, host = json.loads(delivery.body), urlsplit(topic).netloc
        headers = {name: _encoded(message[name.lower()]) for name in ("Title", "Message", "Tags")}
        headers |= {"Click": message["click"]} if message["click"] else {}
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        of = message["picture"]
        with self._picture(of) if of else nullcontext() as jpeg:
            refused = ""
            for picture in _ever_smaller(jpeg) if jpeg else ():
                answer = await send(topic, picture, {**headers, "Filename": "event.jpg"}, _TIMEOUT_S)
                refused = _refusal_of_picture(answer)
                if not refused:
                    return _taken(host, answer, of, len(picture))
                if answer.status != _TOO_LARGE:  # a smaller one would not be taken either
                    break
            answer = await send(topic, b"", headers, _TIMEOUT_S)
            said = f"{_judged(host, answer)}; {refused or 'it has no picture'}"
            return Sent(Sentence(said, "alerts.sent_plain", host=host))


def new_topic() -> str:
    """A topic of the public server that nobody can guess."""
    return f"{_PUBLIC_SERVER}/vitcam-{''.join(secrets.choice(_LETTERS) for _ in range(_LONG))}"


def phone_link(topic: str) -> str:
    """What ntfy's app for Android opens and subscribes to; an iPhone's does not know such links."""
    scheme, _, rest = topic.partition("://")
    return f"ntfy://{rest}{'?secure=false' if scheme == 'http' else ''}"


def _encoded(text: str) -> str:
    """As a header: other letters than those of ASCII, and all that could end it, as RFC 2047 has it."""
    if text.isascii() and text.isprintable() and "=?" not in text:
        return text
    return Header(text, "utf-8").encode(linesep="")


def _ever_smaller(jpeg: bytes) -> Iterator[bytes]:
    """A picture, then the same with fewer pixels; nothing more where it cannot be decoded."""
    yield jpeg
    from vitcam.pictures.decode import decode_image
    from vitcam.pictures.encode import encode_jpeg
    from vitcam.pictures.resize import shrunk

    try:
        image = decode_image(jpeg)
        for side in _SIDES:
            if (scale := side / max(image.shape[:2])) < 1 or side == _SIDES[0]:
                yield encode_jpeg(shrunk(image, min(scale, 1.0)), _QUALITY)
    except VitcamError:
        return


def _refusal_of_picture(answer: Answer) -> str:
    """Why the picture alone was not taken; empty: that is not what was said."""
    if answer.status == _TOO_LARGE or _record(answer).get("code") in _NO_PICTURES:
        return f"it did not take the picture (status {answer.status})"
    return ""


def _taken(host: str, answer: Answer, picture: str, size: int) -> Sent:
    """Raises RetryLater, Refused. picture: the id of its event; size: in bytes"""
    said = _judged(host, answer)
    if not isinstance(_record(answer).get("attachment"), dict):
        return Sent(Sentence(f"{said}; it has kept no picture", "alerts.sent_plain", host=host))
    with_picture = f"{said}; it has the picture, {size / 1000:.0f} kB"
    return Sent(Sentence(with_picture, "alerts.sent", host=host, kb=round(size / 1000)), picture)


def _judged(host: str, answer: Answer) -> str:
    """Raises RetryLater, Refused."""
    if answer.status in _NO_ACCESS:
        locked = f"{host} answered {answer.status}; the topic needs an access token, or another one"
        raise Refused(Sentence(locked, "alerts.locked", host=host))
    return judged(host, answer)


def _record(answer: Answer) -> dict[str, object]:
    """The answer as ntfy writes it; an empty one of any other server."""
    try:
        found = json.loads(answer.body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
