"""Messages go out through the real Apprise, to a receiver of this machine."""

import base64
import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from tests.parts.alerts.doing import event, task
from tests.parts.alerts.receiver import receiver
from vitcam.frames import Group, SecondAnswer
from vitcam.parts.alerts.notification import MISSING, Notifications, body, title
from vitcam.parts.alerts.settings import OnSettings
from vitcam.parts.alerts.task import ActionFailed, Task
from vitcam.rules import Firing
from vitcam.wire import event_record

# Apprise imports what Python 3.11 warns of
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")


@contextmanager
def no_picture(event_id: str) -> Iterator[None]:
    yield None


def test_a_message_says_what_was_seen_since_when_and_how_surely() -> None:
    record = {**event_record(event()), "start": "2026-06-01T10:00:01.000Z"}

    assert title(record) == "tabby"
    assert body(record).startswith("tabby, ")
    assert body(record).endswith(":00:01, 90%, test")


def test_a_message_calls_the_camera_as_people_do() -> None:
    rule = OnSettings("phone", notify=("json://localhost",))

    assert body(Task.of(Firing(rule, event()), "Front door").record).endswith(", 90%, Front door")
    assert body(Task.of(Firing(rule, event())).record).endswith(", 90%, test")


def test_a_message_about_a_group_names_it_first() -> None:
    record = event_record(replace(event(), zone="door", p=0.4, group=Group("cat", 0.83)))

    assert title(record) == "cat (door)"
    assert body(record).startswith("cat (tabby?), ")
    assert ", 83%, test" in body(record)


def test_a_message_says_what_a_second_model_says() -> None:
    seen = replace(event(), zone="door", second=SecondAnswer("goldfinch", 0.8, "birds"))

    assert title(event_record(seen)) == "tabby: goldfinch (door)"
    assert title(event_record(replace(seen, second=SecondAnswer(None, 0.2, "birds")))) == "tabby (door)"


def test_every_address_of_a_rule_gets_the_message() -> None:
    with receiver() as one, receiver() as other:
        addresses = tuple(f"json://{there.url.partition('://')[2]}" for there in (one, other))
        Notifications(no_picture)(task(OnSettings("phone", notify=addresses)))

    for there in (one, other):
        message = json.loads(there.bodies[0])
        assert message["title"] == "tabby"
        assert message["message"].startswith("tabby, ")


def test_the_picture_of_the_event_comes_with_the_message() -> None:
    asked = []

    @contextmanager
    def picture(event_id: str) -> Iterator[bytes]:
        asked.append(event_id)
        yield b"a JPEG"

    with receiver() as there:
        address = f"json://{there.url.partition('://')[2]}"
        Notifications(picture)(task(OnSettings("phone", notify=(address,))))

    attached = json.loads(there.bodies[0])["attachments"]
    assert asked == ["01A"]
    assert [(one["filename"], base64.b64decode(one["base64"])) for one in attached] == [("event.jpg", b"a JPEG")]


def test_each_address_gets_the_picture_as_it_is_then(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures, passing = [b"before the mask", b"with the mask"], list[bool]()

    @contextmanager
    def picture(event_id: str) -> Iterator[bytes]:
        passing.append(True)
        yield pictures[len(passing) - 1]
        passing[-1] = False

    with receiver() as one, receiver() as other:
        addresses = tuple(f"json://{there.url.partition('://')[2]}" for there in (one, other))
        Notifications(picture)(task(OnSettings("phone", notify=addresses)))
    sent = [json.loads(there.bodies[0])["attachments"][0]["base64"] for there in (one, other)]

    assert [base64.b64decode(each) for each in sent] == pictures
    assert passing == [False, False]


@pytest.mark.fault(
    "the service that carries a message fails",
    injected="it answers 500; its address is none; Apprise is missing",
    observed="the action has failed with a sentence that holds no token; other addresses get the message",
)
def test_an_address_that_fails_is_named_by_its_service_only(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with receiver(lambda _: 500) as fails, receiver() as there:
        addresses = [f"json://{one.url.partition('://')[2]}" for one in (fails, there)]
        with pytest.raises(ActionFailed) as failed:
            Notifications(no_picture)(task(OnSettings("phone", notify=("nosuch://secret-path", *addresses))))

    assert str(failed.value).startswith("nosuch, json did not take the message")
    assert len(there.bodies) == 1
    assert "secret-path" not in caplog.text + str(failed.value)


def test_without_apprise_the_action_fails_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)

    with pytest.raises(ActionFailed) as failed:
        Notifications(no_picture)(task(OnSettings("phone", notify=("ntfy://topic",))))

    assert str(failed.value) == MISSING
