"""Messages to phones and by mail, through Apprise, which knows more than a hundred services."""

import logging
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Any

from vitcam.parts.alerts.task import ActionFailed, Task
from vitcam.storage.files import temporary_folder

Picture = Callable[[str], AbstractContextManager[bytes | None]]

MISSING = "Apprise is not installed, so no message can be sent; install vitcam[notify]"


class Notifications:
    """Sends a message to each address of a rule, with the picture of the event where there is one.

    picture  JPEG of the event with this id, to be sent within the context; may wait a moment for it
    """

    def __init__(self, picture: Picture) -> None:
        self._picture = picture

    def __call__(self, task: Task) -> str:
        """Raises ActionFailed where one of them did not take it. Apprise has time limits of its own."""
        try:
            import apprise  # 0.3 s
        except ImportError:
            raise ActionFailed(MISSING) from None
        logging.getLogger("apprise").setLevel(logging.CRITICAL)  # it logs addresses, which hold tokens
        failed, has_picture = list[str](), bool(task.picture_of)
        for address in task.rule.notify:
            picture = self._picture(task.picture_of) if has_picture else nullcontext()  # read anew: masks may be drawn
            with picture as jpeg, _as_file(jpeg) as file:
                has_picture = jpeg is not None
                service = apprise.Apprise()
                message = {"title": title(task.record), "body": body(task.record), "attach": file}
                if not service.add(address) or not service.notify(**message):
                    failed.append(address.partition("://")[0])
        if failed:
            raise ActionFailed(f"{', '.join(failed)} did not take the message; `apprise -vv -b test ADDRESS` says why")
        return "with the picture" if has_picture else "without a picture"


@contextmanager
def _as_file(picture: bytes | None) -> Iterator[str | None]:
    """Its path, for as long as it is sent: Apprise takes files. None: there is no picture."""
    if picture is None:
        yield None
        return
    with temporary_folder(Path(tempfile.gettempdir()), "notice") as folder:
        path = Path(folder, "event.jpg")
        path.write_bytes(picture)
        yield str(path)


def title(record: Mapping[str, Any]) -> str:
    """What was seen, and where. Names are its only words, since these alone are in the language of the household."""
    zone = f" ({record['zone']})" if record["zone"] else ""
    return f"{'Test: ' if record.get('test') else ''}{_kind(record)}{_detail(record)}{zone}"


def body(record: Mapping[str, Any]) -> str:
    """Since when, how sure, and by which camera."""
    end = f"–{_local(record['end'])}" if record["end"] else ""
    camera = record.get("camera_name") or record["camera"]
    return f"{_name(record)}, {_local(record['start'])}{end}, {record['shown']['p']:.0%}, {camera}"


def _kind(record: Mapping[str, Any]) -> str:
    """What people say for it; a task that an older vitcam left has no such name."""
    shown = record["shown"]
    return str(shown.get("kind") or shown["label"] or record["label"])


def _detail(record: Mapping[str, Any]) -> str:
    """What a second model says; nothing where none is sure."""
    detail = record["shown"].get("detail")
    return f": {detail['label']}" if detail and detail["label"] else ""


def _name(record: Mapping[str, Any]) -> str:
    kind, label = _kind(record), str(record["label"])
    if kind == label:
        return label
    return f"{kind} ({label}?)" if record["shown"]["level"] == "group" else f"{kind} ({label})"


def _local(time: str) -> str:
    return datetime.fromisoformat(time).astimezone().strftime("%H:%M:%S")
