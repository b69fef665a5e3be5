"""The settings of rules: what their actions share, and what each of them does."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from vitcam.config.option import Rule, Why
from vitcam.config.rules import EventRule
from vitcam.config.validators import is_notify_address, is_token, is_topic, is_web_address

ACTIONS = ("command", "ntfy", "webhook", "notify", "mqtt", "push", "sound", "gpio")
"""Keys of a rule that say what is done."""


@dataclass(frozen=True, slots=True)
class ActionSettings:
    """What the actions of all rules share."""

    secret: Annotated[
        str,
        Rule(
            "Key that signs webhooks, so that the receiver can check them. Empty: no signature",
            live=True,
            secret=True,
            page=Why.SECRET,
        ),
    ] = ""


@dataclass(frozen=True, slots=True)
class OnSettings(EventRule):
    """A rule: what is done when an event fits. It needs at least one key of `ACTIONS`, else it is idle."""

    ways: ClassVar[tuple[str, ...]] = ACTIONS

    command: Annotated[
        tuple[str, ...],
        Rule(
            "Program and arguments. It is run without a shell, and gets the event as JSON on stdin",
            example=("/usr/local/bin/lamp", "on"),
            live=True,
            page=Why.COMMAND,
        ),
    ] = ()
    timeout_s: Annotated[
        float,
        Rule("Time limit of the command, in s. It is ended then", low=0.1, high=3600, live=True, page=Why.COMMAND),
    ] = 30.0
    ntfy: Annotated[
        str,
        Rule(
            "Topic of an ntfy server that gets a message with the picture of the event. Who knows it sees the pictures",
            form=is_topic,
            form_words="an address such as https://ntfy.sh/a-long-secret-name",
            example="https://ntfy.sh/a-long-secret-name",
            live=True,
            secret=True,
            page=Why.ELSEWHERE,
        ),
    ] = ""
    ntfy_token: Annotated[
        str,
        Rule(
            "Access token of the ntfy server. Empty: the topic needs none",
            form=is_token,
            form_words="a text of ASCII without spaces",
            example="tk_of-your-server",
            live=True,
            secret=True,
            page=Why.SECRET,
        ),
    ] = ""
    webhook: Annotated[
        str,
        Rule(
            "Address that gets the event as JSON by POST",
            form=is_web_address,
            form_words="an address such as https://example.org/hook",
            example="https://example.org/hook",
            live=True,
            secret=True,
            page=Why.ELSEWHERE,
        ),
    ] = ""
    notify: Annotated[
        tuple[str, ...],
        Rule(
            "Addresses of Apprise that get a message, such as ntfy, mail or Telegram",
            form=is_notify_address,
            form_words="addresses such as ntfy://a-long-secret-name",
            example=("ntfy://a-long-secret-name",),
            live=True,
            secret=True,
            page=Why.ELSEWHERE,
        ),
    ] = ()
    mqtt: Annotated[
        bool,
        Rule(
            "Publish the event as JSON on the topic PREFIX/NAME/alert of the MQTT broker", live=True, page=Why.ELSEWHERE
        ),
    ] = False
    push: Annotated[
        bool,
        Rule(
            "Send a message to every browser that was allowed to get one, on the page below Alerts",
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = False
    sound: Annotated[bool, Rule("Play a sound in every window that shows the page", live=True, page=Why.ELSEWHERE)] = (
        False
    )
    gpio: Annotated[
        int | None,
        Rule(
            "Pin that is set high, by its BCM number as in GPIO17", low=0, high=27, example=17, live=True, page=Why.PIN
        ),
    ] = None
    gpio_s: Annotated[
        float, Rule("How long the pin stays high, in s", low=0.01, high=86400, live=True, page=Why.PIN)
    ] = 1.0
