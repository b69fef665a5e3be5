"""`vitcam actions …`: tries the rules of the configuration with an event that is made up."""

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.cli.options import ConfigOptions, JsonOption
from vitcam.errors import UsageError, VitcamError
from vitcam.folders import state_folder
from vitcam.parts import PARTS
from vitcam.parts.alerts.settings import ActionSettings, OnSettings
from vitcam.run.part import load_each
from vitcam.terminal.consoles import stdout_console
from vitcam.terminal.verbs import grouped
from vitcam.text import printable

if TYPE_CHECKING:
    from vitcam.config.settings import Settings
    from vitcam.parts.alerts.deliveries import Transport
    from vitcam.parts.alerts.task import Act, Outcome, Task

actions = typer.Typer(help="Try what rules do.", no_args_is_help=True)


@actions.command("test")
@grouped
def try_rules(
    rules: Annotated[list[str] | None, typer.Argument(metavar="[RULE]...", help="Names of rules. None: all.")] = None,
    *,
    config: ConfigOptions,
    as_json: JsonOption = False,
) -> None:
    """Do the actions of rules now, with an event that is made up.

    The conditions of the rules are ignored. The event carries `"test": true`. A command runs as you, not inside the
    sandbox of the service.
    """
    settings = config.load({}).settings
    chosen = _chosen(settings.rules_of(OnSettings), rules or [])
    acts = _acts(settings, os.environ)
    failed = 0
    for outcome in _outcomes(chosen, acts):
        failed += outcome.status == "failed"
        _show(outcome, as_json)
    if failed:
        raise VitcamError(f"{failed} action(s) failed; what is printed above says why")


def _chosen(rules: Sequence[OnSettings], names: Sequence[str]) -> list[OnSettings]:
    known = [rule.name for rule in rules]
    if not rules:
        raise UsageError("the configuration has no rules; docs/use/actions.md shows how to write [[on]]")
    for name in names:
        if name not in known:
            raise UsageError(f"no rule is called {printable(name)!r}; there are {', '.join(known)}")
    chosen = [rule for rule in rules if not names or rule.name in names]
    acting = [rule for rule in chosen if rule.kinds]
    if not acting:
        raise UsageError(chosen[0].idle)
    return acting


def _acts(settings: "Settings", environ: Mapping[str, str]) -> "dict[str, Act]":
    import asyncio

    from vitcam.parts.alerts.broker_message import NO_BROKER
    from vitcam.parts.alerts.command import Commands
    from vitcam.parts.alerts.http_post import Refused, RetryLater
    from vitcam.parts.alerts.notification import Notifications
    from vitcam.parts.alerts.ntfy import Ntfy
    from vitcam.parts.alerts.pin import Pins
    from vitcam.parts.alerts.push import Push
    from vitcam.parts.alerts.push_devices import PushDevices
    from vitcam.parts.alerts.sound import Sound
    from vitcam.parts.alerts.task import ActionFailed
    from vitcam.parts.alerts.webhook import Webhook
    from vitcam.storage.outbox import Delivery
    from vitcam.web.open_pages import OpenPages

    pins = Pins()

    def sent_by(transport: "Transport", task: "Task") -> str:
        where, text = transport.destination(task.rule), transport.text(task)
        delivery = Delivery(transport.kind, where, task.event_id, task.rule.name, text)
        try:
            return asyncio.run(transport.send(delivery)).detail
        except (Refused, RetryLater) as failure:
            raise ActionFailed(str(failure)) from None

    def no_picture(_: str) -> AbstractContextManager[None]:
        return nullcontext()

    def mqtt(task: "Task") -> str:
        try:
            went = "".join(publish(settings, task.text) for publish in load_each(part.publish for part in PARTS))
        except VitcamError as failure:
            raise ActionFailed(str(failure)) from None
        if not went:
            raise ActionFailed(NO_BROKER)
        return went

    def pin(task: "Task") -> str:
        detail = pins(task)
        time.sleep(task.rule.gpio_s)
        pins.close()
        return detail

    return {
        "command": Commands(environ),
        "ntfy": partial(sent_by, Ntfy(no_picture, settings.web)),
        "webhook": partial(sent_by, Webhook(settings[ActionSettings].secret)),
        "notify": Notifications(no_picture),
        "mqtt": mqtt,
        "push": Push(PushDevices(state_folder(environ))),
        "sound": Sound(OpenPages()),
        "gpio": pin,
    }


def _outcomes(rules: Sequence[OnSettings], acts: "Mapping[str, Act]") -> "Iterator[Outcome]":
    from vitcam.parts.alerts.task import ActionFailed, Task

    for rule in rules:
        task = Task.made_up(rule)
        for kind in rule.kinds:
            try:
                yield task.done(kind, acts[kind](task))
            except ActionFailed as failure:
                yield task.failed(kind, str(failure))


def _show(outcome: "Outcome", as_json: bool) -> None:
    if as_json:
        record = {name: getattr(outcome, name) for name in ("rule", "kind", "status", "detail")}
        stdout_console().print_json(json.dumps({"type": "action", **record}), indent=None)
        return
    detail = f": {outcome.detail}" if outcome.detail else ""
    stdout_console().print(f"{outcome.rule} {outcome.kind} {outcome.status}{detail}", markup=False, highlight=False)
