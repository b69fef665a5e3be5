"""A message with its picture reaches a phone's topic, whatever the server allows, and waits while it cannot."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.parts.alerts.doing import Kept, event
from tests.parts.alerts.ntfy_server import NtfyServer, ntfy_server
from vitcam.config.web import WebSettings
from vitcam.frames import Event
from vitcam.parts.alerts.deliveries import Deliveries
from vitcam.parts.alerts.notification import Notifications, Picture
from vitcam.parts.alerts.ntfy import Ntfy, new_topic, phone_link
from vitcam.parts.alerts.settings import OnSettings
from vitcam.parts.alerts.task import Outcome, Task
from vitcam.pictures.decode import decode_image
from vitcam.pictures.encode import encode_jpeg
from vitcam.rules import Firing
from vitcam.storage.outbox import Outbox

NOISE = np.random.default_rng(0).integers(0, 255, (90, 160, 3), np.uint8)
JPEG = encode_jpeg(np.asarray(cv2.resize(NOISE, (1920, 1080)), np.uint8), 90)
SEEN = replace(event(label="Kätzchen"), zone="Tür")
NETWORK = WebSettings(host="192.168.7.7")


# Apprise imports what Python 3.11 warns of
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")


def always(jpeg: bytes | None) -> Picture:
    """The picture of every event."""
    return lambda _: nullcontext(jpeg)


@contextmanager
def sending(folder: Path | None, kept: Kept, *rules: OnSettings, jpeg: bytes | None = JPEG) -> Iterator[Deliveries]:
    box = Outbox(folder)
    found = Deliveries(Ntfy(always(jpeg), NETWORK), box, kept, first_pause_s=0.02)
    found.serve(rules)
    try:
        yield found
    finally:
        found.close()
        found.leave(time.monotonic() + 20)
        box.close()


def rule(server: NtfyServer, token: str = "") -> OnSettings:
    return OnSettings("cats", ntfy=f"{server.url}/a-topic", ntfy_token=token)


def sent(server: NtfyServer, token: str = "", jpeg: bytes | None = JPEG, seen: Event = SEEN) -> Outcome:
    """What came of one event at last."""
    kept, acting = Kept(), rule(server, token)
    with sending(None, kept, acting, jpeg=jpeg) as deliveries:
        deliveries.put(Task.of(Firing(acting, seen)))
        return kept.wait_for(lambda all_: bool(all_) and all_[-1].status != "waiting")[-1]


def test_a_phone_gets_title_text_and_picture_with_all_letters_and_a_press_opens_the_event() -> None:
    with ntfy_server(token="tk_1") as there:
        outcome = sent(there, "tk_1")

    (message,) = there.received
    assert (message.topic, message.title, message.tags) == ("a-topic", "Kätzchen (Tür)", ["eyes"])
    assert message.message.startswith("Kätzchen, ")
    assert message.click == "http://192.168.7.7:8420/#event/01A"
    assert (message.name, message.attachment) == ("event.jpg", JPEG)
    host = there.url.removeprefix("http://")
    assert outcome == Outcome(
        "01A", "cats", "ntfy", "ok", f"{host} answered 200; it has the picture, {len(JPEG) / 1000:.0f} kB", "01A"
    )


def test_a_text_that_looks_encoded_and_a_long_one_arrive_as_they_are() -> None:
    label = "=?utf-8?q?no?= " + "ß" * 90 + "\r\nX: y"
    with ntfy_server() as there:
        sent(there, seen=replace(SEEN, label=label))

    assert there.received[0].title == f"{' '.join(label.split())} (Tür)"


@pytest.mark.parametrize(
    ("keeps", "statuses", "said"), [(True, [200], "it has the picture"), (False, [400, 200], "not take the picture")]
)
def test_a_server_behind_a_proxy_that_packs_answers_is_understood(keeps: bool, statuses: list[int], said: str) -> None:
    with ntfy_server(gzips=True, keeps_attachments=keeps) as there:
        outcome = sent(there)

    assert (there.statuses, outcome.status) == (statuses, "ok")
    assert said in outcome.detail


@pytest.mark.parametrize(("most_bytes", "widths"), [(300_000, {1280}), (100_000, {640}), (40_000, {320})])
def test_a_picture_that_is_too_large_for_the_server_comes_smaller(most_bytes: int, widths: set[int]) -> None:
    with ntfy_server(most_bytes=most_bytes) as there:
        outcome = sent(there)

    assert len(there.received[0].attachment) <= most_bytes < there.sizes[0]
    assert {decode_image(there.received[0].attachment).shape[1]} == widths
    assert there.statuses == [413] * (len(there.statuses) - 1) + [200]
    assert outcome.picture == "01A"


@pytest.mark.parametrize(
    ("settings", "jpeg", "statuses", "said"),
    [
        ({"most_bytes": 10}, JPEG, [413, 413, 413, 413, 200], "it did not take the picture (status 413)"),
        ({"keeps_attachments": False}, JPEG, [400, 200], "it did not take the picture (status 400)"),
        ({}, None, [200], "it has no picture"),
        ({"most_bytes": 10}, b"no JPEG at all", [413, 200], "it did not take the picture (status 413)"),
    ],
)
def test_without_its_picture_the_message_comes_all_the_same_and_that_is_said(
    settings: dict[str, int], jpeg: bytes | None, statuses: list[int], said: str
) -> None:
    with ntfy_server(**settings) as there:
        outcome = sent(there, jpeg=jpeg)

    assert there.statuses == statuses
    assert (there.received[0].title, there.received[0].attachment) == ("Kätzchen (Tür)", b"")
    assert outcome.detail.endswith(f"answered 200; {said}")
    assert (outcome.status, outcome.picture) == ("ok", "")


@pytest.mark.parametrize(("token", "status"), [("", 401), ("tk_other", 403)])
def test_a_topic_that_needs_a_token_says_so_and_is_not_asked_again(token: str, status: int) -> None:
    with ntfy_server(token="tk_1") as there:
        outcome = sent(there, token)

    assert there.statuses == [status]
    assert outcome.status == "failed"
    assert outcome.detail.endswith(f"answered {status}; the topic needs an access token, or another one")
    assert "a-topic" not in outcome.detail
    assert "tk_" not in outcome.detail


@pytest.mark.fault(
    "an ntfy server wants to be left alone",
    injected="it answers 429 with Retry-After",
    observed="the message waits that long, and arrives then",
)
def test_a_server_that_is_busy_is_left_alone_as_long_as_it_says() -> None:
    kept = Kept()
    with ntfy_server(busy=[1]) as there, sending(None, kept, rule(there)) as deliveries:
        began_s = time.monotonic()
        deliveries.put(Task.of(Firing(rule(there), SEEN)))
        kept.wait_for_count(2)
        waited_s = time.monotonic() - began_s

    assert [outcome.status for outcome in kept.all] == ["waiting", "ok"]
    assert kept.all[0].detail.endswith("answered 429; it is tried again")
    assert waited_s >= 1
    assert len(there.received) == 1


def test_a_message_waits_for_a_server_that_is_away_across_a_restart_and_the_picture_is_read_then(
    tmp_path: Path,
) -> None:
    before, after = Kept(), Kept()
    with ntfy_server() as there:
        acting = rule(there, "tk_1")
    with sending(tmp_path, before, acting, jpeg=None) as deliveries:
        deliveries.put(Task.of(Firing(acting, SEEN)))
        before.wait_for_count(1)

    assert b"JFIF" not in (tmp_path / "outbox.db").read_bytes()
    with ntfy_server(port=int(there.url.split(":")[2])) as back, sending(tmp_path, after, acting) as deliveries:
        deliveries.start()
        after.wait_for(lambda all_: all_[-1:] != [] and all_[-1].status == "ok")

    assert before.all[0].detail.endswith("Connection refused; it is tried again")
    assert back.received[0].attachment == JPEG


def test_the_real_apprise_reaches_the_same_server_with_the_picture() -> None:
    with ntfy_server() as there:
        address = f"ntfy://{there.url.removeprefix('http://')}/by-apprise"
        acting = OnSettings("cats", notify=(address,))
        said = Notifications(always(JPEG))(Task.of(Firing(acting, SEEN)))

    (message,) = there.received
    assert said == "with the picture"
    assert message.topic == "by-apprise"
    assert (message.title, message.attachment) == ("Kätzchen (Tür)", JPEG)


def test_a_proposed_topic_cannot_be_guessed_and_opens_in_the_app() -> None:
    topics = {new_topic() for _ in range(50)}

    assert len(topics) == 50
    assert all(len(topic.rpartition("-")[2]) == 16 for topic in topics)
    assert phone_link("https://ntfy.sh/abc") == "ntfy://ntfy.sh/abc"
    assert phone_link("http://192.168.1.5:8090/abc") == "ntfy://192.168.1.5:8090/abc?secure=false"
