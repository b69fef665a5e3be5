"""One alert: a rule that was made on the page. Its JSON, as `/api/alerts` gives and takes it and as it is kept."""

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from vitcam.config.check import checked
from vitcam.config.layers import RawSetting
from vitcam.config.tables import table_options
from vitcam.errors import UsageError
from vitcam.look.areas import ZONE_NAME
from vitcam.parts.alerts.message_address import checked_address
from vitcam.parts.alerts.settings import OnSettings
from vitcam.text import shortened

CONDITIONS = ("label", "not_labels", "zone", "above", "for_s", "between", "cooldown_s", "kind", "phase")
WAYS = ("ntfy", "webhook", "notify", "mqtt", "push", "sound")
"""What an alert may do. A command and a pin are for the configuration alone."""
MOST_ADDRESSES = MOST_LEFT_OUT = 8
_KEYS = (*CONDITIONS, *WAYS, "ntfy_token")
_HIDDEN = "***"
_TRIMMED = ("label", "zone", "webhook", "ntfy", "ntfy_token")
_LONGEST_LABEL, _LONGEST_ADDRESS = 100, 2000
_PREFIX = "page-"
_LONGEST_NAME = 32  # of a rule
_ID = re.compile(r"[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class Alert:
    """A rule of the page."""

    id: str
    rule: OnSettings
    enabled: bool = True


def new_alert(body: Any, taken: Iterable[str]) -> Alert:
    """An alert as it was asked for. taken: names that rules have already. Raises UsageError with one sentence."""
    return changed_alert(Alert(secrets.token_hex(4), OnSettings()), body, taken)


def changed_alert(before: Alert, body: Any, taken: Iterable[str]) -> Alert:
    """An alert with other values; what the body leaves out stays. An address that comes as it is shown stays, too.

    taken   names that other rules have already
    raises  UsageError with one sentence
    """
    if not isinstance(body, dict):
        raise UsageError('send {"label": "cat", "zone": "door", "for_s": 5, "sound": true}')
    for key in body:
        if key not in (*_KEYS, "enabled"):
            raise UsageError(f"an alert has no {shortened(repr(key))}; it may have {', '.join(_KEYS)} and enabled")
    enabled = body.get("enabled", before.enabled)
    if not isinstance(enabled, bool):
        raise UsageError(f"enabled is {shortened(repr(enabled))}; allowed is true or false")
    given = {key: value for key, value in body.items() if key != "enabled"}
    rule = replace(before.rule, **_checked_values(_with_secrets(given, before.rule)))
    if given.get("ntfy_token", _HIDDEN) == _HIDDEN and shown_web(rule.ntfy) != shown_web(before.rule.ntfy):
        rule = replace(rule, ntfy_token="")  # another server does not get the token of this one
    if not rule.kinds:
        raise UsageError(f"an alert needs a way to reach you; give it one of {', '.join(WAYS)}")
    return Alert(before.id, replace(rule, name=_name_of(rule, taken)), enabled)


def _checked_values(given: Mapping[str, Any]) -> dict[str, Any]:
    options = table_options("on")
    values: dict[str, Any] = {}
    for key, value in given.items():
        option = replace(options[key], section="alert")
        try:
            values[key] = checked(option, RawSetting("alert", key, value, "", error_class=UsageError))
        except UsageError as error:  # without the place: there is only this one
            raise UsageError(str(error).removeprefix(": alert.")) from None
    values |= {key: values[key].strip() for key in _TRIMMED if key in values}
    values |= {key: tuple(text.strip() for text in values[key]) for key in ("not_labels",) if key in values}
    _check_labels(values.get("label", ""), *values.get("not_labels", ()))
    _check_addresses(values.get("notify", ()), [values.get(key, "") for key in _TRIMMED[2:]])
    zone = values.get("zone", "")
    if zone and not ZONE_NAME.fullmatch(zone):
        raise UsageError(f"{shortened(repr(zone))} cannot be the name of a zone; use up to 32 letters, digits, - and _")
    return values


def _check_labels(*labels: str) -> None:
    for text in labels:
        if len(text) > _LONGEST_LABEL or not text.isprintable():
            raise UsageError(f"the label of an alert must be a text of up to {_LONGEST_LABEL} characters on one line")
    if len(labels) > 1 + MOST_LEFT_OUT:
        raise UsageError(f"there are {len(labels) - 1:,} labels that are left out; {MOST_LEFT_OUT} are allowed")


def _check_addresses(notify: Sequence[str], others: Iterable[str]) -> None:
    for text in others:
        if len(text) > _LONGEST_ADDRESS:
            raise UsageError(f"the address has {len(text):,} characters; {_LONGEST_ADDRESS:,} are allowed")
    if len(notify) > MOST_ADDRESSES:
        raise UsageError(f"there are {len(notify):,} addresses; {MOST_ADDRESSES} are allowed")
    for address in notify:
        checked_address(address)


def _with_secrets(given: dict[str, Any], before: OnSettings) -> dict[str, Any]:
    """Put back what a client was never told."""
    found = dict(given)
    for key in ("webhook", "ntfy", "ntfy_token"):
        value = getattr(before, key)
        if value and given.get(key) == _shown(key, value):
            found[key] = value
    if isinstance(given.get("notify"), list):
        left = list(before.notify)
        found["notify"] = [_told_before(address, left) for address in given["notify"]]
    return found


def _told_before(address: Any, left: list[str]) -> Any:
    known = next((each for each in left if shown_address(each) == address), None)
    if known is None:
        return address
    left.remove(known)
    return known


def _name_of(rule: OnSettings, taken: Iterable[str]) -> str:
    """For messages, logs and the history: what it is about, and a number where others are called so."""
    what = rule.label or {"seen": "anything"}.get(rule.kind, rule.kind)
    words = "-".join(filter(None, (re.sub(r"\W+", "-", what).strip("-"), rule.zone)))
    stem, names = f"{_PREFIX}{words}"[: _LONGEST_NAME - 3].rstrip("-"), set(taken)
    numbered = (stem if number == 1 else f"{stem}-{number}" for number in range(1, len(names) + 2))
    return next(name for name in numbered if name not in names)


def alert_record(alert: Alert) -> dict[str, Any]:
    """An alert as people may see it: addresses are shown as far as that tells no secret."""
    rule = alert.rule
    shown: dict[str, Any] = {"notify": [shown_address(each) for each in rule.notify]}
    shown |= {key: _shown(key, getattr(rule, key)) for key in ("webhook", "ntfy", "ntfy_token")}
    return {"id": alert.id, "enabled": alert.enabled, **_values(rule), **shown}


def rule_record(rule: OnSettings) -> dict[str, Any]:
    """A rule of the configuration: when it acts, what it does, and where it comes from. No address, no command."""
    conditions = {key: _as_json(getattr(rule, key)) for key in CONDITIONS}
    return {"name": rule.name, **conditions, "kinds": list(rule.kinds), "place": rule.place}


def shown_web(address: str) -> str:
    """Its host: the path of a webhook or of a topic is often its password."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}/{_HIDDEN}" if address else ""


def shown_address(address: str) -> str:
    """Its service."""
    return f"{address.partition('://')[0]}://{_HIDDEN}"


def _shown(key: str, value: str) -> str:
    """A text that holds a secret, as people may see it."""
    if key == "ntfy_token":
        return _HIDDEN if value else ""
    return shown_web(value)


def saved_record(alert: Alert) -> dict[str, Any]:
    """An alert as it is kept, with its secrets."""
    return {"id": alert.id, "enabled": alert.enabled, **_values(alert.rule)}


def saved_alert(record: Any, taken: Iterable[str]) -> Alert:
    """What `saved_record` made. Raises UsageError for anything else: the file may hold whatever somebody wrote."""
    if not isinstance(record, dict) or not isinstance(id_ := record.get("id"), str) or not _ID.fullmatch(id_):
        raise UsageError("it has no id of an alert")
    body = {key: value for key, value in record.items() if key not in ("id", "name")}
    return changed_alert(Alert(id_, OnSettings()), body, taken)


def _values(rule: OnSettings) -> dict[str, Any]:
    return {"name": rule.name, **{key: _as_json(getattr(rule, key)) for key in _KEYS}}


def _as_json(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
