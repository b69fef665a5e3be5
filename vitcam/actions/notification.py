"""Messages to phones and by mail, through Apprise, which knows more than a hundred services."""

import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from vitcam.actions.task import ActionFailed, Task

MISSING = "Apprise is not installed, so no message can be sent; install vitcam[notify]"


class Notifications:
    """Sends a message to each address of a rule."""

    def __call__(self, task: Task) -> str:
        """Raises ActionFailed where one of them did not take it. Apprise has time limits of its own."""
        try:
            import apprise  # 0.3 s
        except ImportError:
            raise ActionFailed(MISSING) from None
        logging.getLogger("apprise").setLevel(logging.CRITICAL)  # it logs addresses, which hold tokens
        failed = []
        for address in task.rule.notify:
            service = apprise.Apprise()
            if not service.add(address) or not service.notify(title=title(task.record), body=body(task.record)):
                failed.append(address.partition("://")[0])
        if failed:
            raise ActionFailed(f"{', '.join(failed)} did not take the message; `apprise -vv -b test ADDRESS` says why")
        return ""


def title(record: Mapping[str, Any]) -> str:
    """What was seen, and where."""
    zone = f" ({record['zone']})" if record["zone"] else ""
    return f"{_name(record)}{zone}"


def body(record: Mapping[str, Any]) -> str:
    """Since when, how sure, and by which camera."""
    group = record["group"]
    p = group["p"] if group else record["p"]
    end = f" to {_local(record['end'])}" if record["end"] else ""
    return f"{_name(record)} from {_local(record['start'])}{end}, {p:.0%}, {record['camera']}"


def _name(record: Mapping[str, Any]) -> str:
    group = record["group"]
    return f"{group['label']}, perhaps {record['label']}" if group else str(record["label"])


def _local(time: str) -> str:
    return datetime.fromisoformat(time).astimezone().strftime("%H:%M:%S")
