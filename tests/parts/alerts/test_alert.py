"""What an alert may be, as a person or a file says it, and what others see of it."""

import json
from typing import Any

import pytest

from vitcam.errors import UsageError
from vitcam.parts.alerts.alert import (
    Alert,
    alert_record,
    changed_alert,
    new_alert,
    rule_record,
    saved_alert,
    saved_record,
)
from vitcam.parts.alerts.message_address import checked_address
from vitcam.parts.alerts.settings import OnSettings

SECRET = "hunter2"
BODY: dict[str, Any] = {
    "label": "cat",
    "zone": "door",
    "not_labels": [" Mimi "],
    "for_s": 5,
    "between": "22:00-06:00",
    "ntfy": f"https://phone.example/{SECRET}",
    "ntfy_token": f"tk_{SECRET}",
    "webhook": f"https://home.example/hook/{SECRET}",
    "notify": [f"tgram://{SECRET}/1", f"ntfy://{SECRET}"],
    "sound": True,
}


def test_an_alert_is_a_rule_with_a_name_that_says_what_it_is_about() -> None:
    alert = new_alert(BODY, [])

    assert alert.enabled
    assert alert.rule == OnSettings(
        "page-cat-door",
        label="cat",
        not_labels=("Mimi",),
        zone="door",
        for_s=5.0,
        between="22:00-06:00",
        ntfy=BODY["ntfy"],
        ntfy_token=BODY["ntfy_token"],
        webhook=BODY["webhook"],
        notify=tuple(BODY["notify"]),
        sound=True,
    )
    assert alert.rule.kinds == ("ntfy", "webhook", "notify", "sound")


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({}, "page-anything"),
        ({"kind": "problem"}, "page-problem"),
        ({"label": "Käse & Brot"}, "page-Käse-Brot"),
        ({"label": "x" * 90, "zone": "y" * 32}, "page-" + "x" * 24),
        ({"label": "dog"}, "page-dog-3"),
        ({"label": "?!"}, "page"),
    ],
)
def test_the_name_fits_a_rule_and_is_nobody_elses(body: dict[str, Any], name: str) -> None:
    assert new_alert({**body, "sound": True}, ["page-dog", "page-dog-2"]).rule.name == name


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ([], "send"),
        ({"sound": True, "command": ["/bin/sh"]}, "'command'"),
        ({"sound": True, "file": "/etc/passwd"}, "'file'"),
        ({"sound": True, "gpio": 17}, "'gpio'"),
        ({"sound": True, "name": "x"}, "'name'"),
        ({"sound": True, "place": "x"}, "'place'"),
        ({"sound": True, "timeout_s": 3600}, "'timeout_s'"),
        ({"label": "cat"}, "webhook, notify, mqtt, push, sound"),
        ({"sound": "yes"}, "sound"),
        ({"sound": True, "enabled": 1}, "enabled"),
        ({"sound": True, "for_s": float("nan")}, "for_s"),
        ({"sound": True, "for_s": 10**400}, "for_s"),
        ({"sound": True, "for_s": True}, "for_s"),
        ({"sound": True, "above": 1.01}, "above"),
        ({"sound": True, "between": "25:00-26:00"}, "between"),
        ({"sound": True, "label": "a\nb"}, "label"),
        ({"sound": True, "label": "a" * 101}, "label"),
        ({"sound": True, "label": ["cat"]}, "label"),
        ({"sound": True, "zone": "the door"}, "zone"),
        ({"sound": True, "kind": "command"}, "kind"),
        ({"webhook": "file:///etc/passwd"}, "webhook"),
        ({"webhook": "gopher://x/"}, "webhook"),
        ({"webhook": "http://user:password@x/"}, "webhook"),
        ({"webhook": "http://x/" + "a" * 2000}, "2,009"),
        ({"notify": "ntfy://x"}, "notify"),
        ({"sound": True, "not_labels": "Mimi"}, "not_labels"),
        ({"sound": True, "not_labels": ["a\nb"]}, "label"),
        ({"sound": True, "not_labels": ["a"] * 9}, "9 labels"),
        ({"ntfy": "https://ntfy.sh"}, "such as https://ntfy.sh/a-long-secret-name"),
        ({"ntfy": "ntfy://topic"}, "such as https://ntfy.sh/a-long-secret-name"),
        ({"ntfy": "https://ntfy.sh/a?b=/c"}, "such as https://ntfy.sh/a-long-secret-name"),
        ({"ntfy": "https://ntfy.sh/a", "ntfy_token": "two words"}, "ASCII without spaces"),
        ({"ntfy_token": "tk_1"}, "a way to reach you"),
        ({"notify": [f"ntfy://{number}" for number in range(9)]}, "9"),
    ],
)
def test_what_no_alert_may_be_is_refused_with_what_was_found(body: Any, told: str) -> None:
    with pytest.raises(UsageError) as refused:
        new_alert(body, [])

    assert told in str(refused.value)


@pytest.mark.parametrize(
    "address",
    [
        f"macosx://{SECRET}",
        "dbus://",
        "gnome://",
        "syslog://",
        f"vapid://{SECRET}@example.org/?keyfile=/etc/shadow",
        f"fcm://{SECRET}/?keyfile=/etc/shadow",
        f"json://127.0.0.1/{SECRET}",
        f"discord://1/{SECRET}?template=/etc/shadow",
        f"ntfy://{SECRET}?attach=file:///etc/shadow",
        f"mailto://a:{SECRET}@example.org?pgp=yes&pgpprv=/root/key",
        f"mailto://a:{SECRET}@example.org?+X-Header=1",
        f"ntfy://{SECRET}, dbus://x",
        f"ntfy://{SECRET} dbus://x",
        f"ntfy://{SECRET}\n",
        "ntfy://",
        "ntfy",
        "ntfy://" + "a" * 500,
        f"ntfy://[{SECRET}",
    ],
)
def test_an_address_that_may_touch_this_machine_is_refused_without_its_secret(address: str) -> None:
    with pytest.raises(UsageError) as refused:
        checked_address(address)

    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    "address",
    ["ntfy://topic", "NTFYS://a.example/topic?priority=high", "mailto://a:b@example.org?to=c@example.org,d@x"],
)
def test_an_address_of_a_service_that_passes_messages_on_is_taken(address: str) -> None:
    assert checked_address(address) == address


def test_what_is_shown_holds_no_secret_and_what_comes_back_so_keeps_it() -> None:
    alert = new_alert(BODY, [])
    shown = alert_record(alert)
    sent_back = {key: value for key, value in shown.items() if key not in ("id", "name")}

    assert SECRET not in json.dumps([shown, rule_record(alert.rule)])
    assert (shown["webhook"], shown["notify"]) == ("https://home.example/***", ["tgram://***", "ntfy://***"])
    assert changed_alert(alert, sent_back, []) == alert
    assert changed_alert(alert, {"for_s": 6}, []).rule.notify == tuple(BODY["notify"])
    assert changed_alert(alert, {"notify": ["ntfy://***", "ntfy://other"]}, []).rule.notify == (
        f"ntfy://{SECRET}",
        "ntfy://other",
    )
    assert changed_alert(alert, {"webhook": ""}, []).rule.webhook == ""
    assert (shown["ntfy"], shown["ntfy_token"]) == ("https://phone.example/***", "***")


@pytest.mark.parametrize("more", [{}, {"ntfy_token": "***"}])
def test_another_server_never_gets_the_token_of_this_one(more: dict[str, str]) -> None:
    alert = new_alert(BODY, [])
    same, other = ({"ntfy": f"https://{host}/topic", **more} for host in ("phone.example", "thief.example"))

    assert changed_alert(alert, same, []).rule.ntfy_token == BODY["ntfy_token"]
    assert changed_alert(alert, other, []).rule.ntfy_token == ""


def test_an_alert_can_be_switched_off() -> None:
    alert = new_alert(BODY, [])

    assert not changed_alert(alert, {"enabled": False}, []).enabled


def test_what_was_kept_is_read_again_and_anything_else_is_refused() -> None:
    alert = Alert("0123abcd", new_alert(BODY, []).rule, enabled=False)
    record = json.loads(json.dumps(saved_record(alert)))

    assert saved_alert(record, []) == alert
    broken: list[Any] = [
        None,
        1,
        {},
        {**record, "id": "../../x"},
        {**record, "command": ["sh"]},
        {**record, "for_s": "5"},
    ]
    for each in broken:
        with pytest.raises(UsageError):
            saved_alert(each, [])
