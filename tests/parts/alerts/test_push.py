"""Messages to browsers: only the browser can read them, the sender is known, and what is kept of it is a secret."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidTag

from tests.parts.alerts.doing import task
from tests.push_service import Browser, decoded, encoded
from vitcam.errors import UsageError
from vitcam.parts.alerts import push
from vitcam.parts.alerts.http_post import Answer, RetryLater
from vitcam.parts.alerts.push import Push, encrypted, public_key, signature
from vitcam.parts.alerts.push_devices import MOST_DEVICES, PushDevice, PushDevices
from vitcam.parts.alerts.settings import OnSettings
from vitcam.parts.alerts.task import ActionFailed, Task

RULE = OnSettings("page-tabby", push=True)


def device(browser: Browser, name: str = "1") -> PushDevice:
    return PushDevice.of(browser.subscription(f"https://push.example/{name}"))


class Service:
    """Stands in for the network: gives each status in turn, and keeps what was sent."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: int | str) -> None:
        self._answers = list(answers)
        self.sent: list[tuple[str, bytes, dict[str, str]]] = []
        monkeypatch.setattr(push, "send", self._send)

    async def _send(self, url: str, body: bytes, headers: dict[str, str]) -> Answer:
        self.sent.append((url, body, headers))
        answer = self._answers.pop(0)
        if isinstance(answer, str):
            raise RetryLater(answer)
        return Answer(answer)


def test_the_browser_of_these_tests_decrypts_the_example_of_the_standard() -> None:
    browser = Browser("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94", "BTBZMqHH6r4Tts7J_aSIgg")  # RFC 8291, 5
    body = (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3"
        "jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )

    assert browser.decrypt(decoded(body)) == b"When I grow up, I want to be a watermelon"


def test_only_the_browser_can_read_a_message_and_no_two_look_alike() -> None:
    browser, other = Browser(), Browser()
    first, second = (encrypted(device(browser), b"eine Katze") for _ in range(2))

    assert browser.decrypt(first) == browser.decrypt(second) == b"eine Katze"
    assert first != second
    with pytest.raises(InvalidTag):
        other.decrypt(first)


def test_a_message_says_what_was_seen_and_leads_to_its_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser, devices, service = Browser(), PushDevices(tmp_path), Service(monkeypatch, 201, 201)
    devices.add(device(browser))

    assert Push(devices)(task(RULE)) == "1 browser has got it"
    Push(devices)(Task.made_up(RULE))

    [(url, body, headers), (_, trial, _)] = service.sent
    message = json.loads(browser.decrypt(body))
    assert (message["title"], message["open"], message["tag"]) == ("tabby", "#event/01A", "page-tabby")
    assert json.loads(browser.decrypt(trial))["title"] == "Test: test"
    assert url == "https://push.example/1"
    assert (headers["Content-Encoding"], headers["Urgency"], int(headers["TTL"]) > 0) == ("aes128gcm", "high", True)
    assert headers["Authorization"].endswith(f"k={public_key(devices.key())}")
    assert len(body) < 4096


@pytest.mark.parametrize("status", [404, 410])
def test_a_browser_that_its_service_does_not_know_is_removed_and_the_others_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    devices, service = PushDevices(tmp_path), Service(monkeypatch, status, 201)
    for name in ("gone", "there"):
        devices.add(device(Browser(), name))
    with pytest.raises(ActionFailed, match=r"1 of 2 .* does not know it any more"):
        Push(devices)(task(RULE))

    assert len(service.sent) == 2
    assert [each.endpoint for each in PushDevices(tmp_path).all] == ["https://push.example/there"]


@pytest.mark.parametrize(("answer", "told"), [(500, "answered 500"), (403, "clock"), ("no network", "no network")])
def test_a_service_that_does_not_take_it_is_named_and_the_browser_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: int | str, told: str
) -> None:
    devices, _ = PushDevices(tmp_path), Service(monkeypatch, answer)
    devices.add(device(Browser()))
    with pytest.raises(ActionFailed, match=told) as failed:
        Push(devices)(task(RULE))

    assert "push.example/1" not in str(failed.value)
    assert len(devices.all) == 1


def test_without_a_browser_or_the_library_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ActionFailed, match="below Alerts"):
        Push(PushDevices(tmp_path))(task(RULE))
    monkeypatch.setattr(push, "find_spec", lambda _: None)
    with pytest.raises(ActionFailed, match=r"install vitcam\[push\]"):
        Push(PushDevices(tmp_path))(task(RULE))


def test_keys_and_browsers_are_kept_where_only_their_owner_may_read_them(tmp_path: Path) -> None:
    devices = PushDevices(tmp_path)
    key = devices.key()
    browser = Browser()
    devices.add(device(browser))
    again = PushDevices(tmp_path)

    assert (again.key(), again.all) == (key, devices.all)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    devices.add(device(browser))  # the same browser asks again
    assert len(devices.all) == 1
    assert devices.remove(devices.all[0].id)
    assert not devices.remove("nothing")


def test_there_are_not_more_browsers_than_the_quota(tmp_path: Path) -> None:
    devices = PushDevices(tmp_path)
    for number in range(MOST_DEVICES):
        devices.add(device(Browser(), str(number)))
    with pytest.raises(UsageError, match=str(MOST_DEVICES)):
        devices.add(device(Browser(), "more"))


GOOD = Browser().subscription("https://push.example/1")


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {},
        {**GOOD, "keys": []},
        {**GOOD, "endpoint": "http://push.example/1"},
        {**GOOD, "endpoint": "file:///etc/passwd"},
        {**GOOD, "endpoint": "https://user:word@push.example/1"},
        {**GOOD, "endpoint": "https://push.example/" + "a" * 1000},
        {**GOOD, "endpoint": 1},
        {**GOOD, "name": "x" * 61},
        {**GOOD, "name": "a\nb"},
        {**GOOD, "keys": {**GOOD["keys"], "auth": "AAAA"}},
        {**GOOD, "keys": {**GOOD["keys"], "auth": 16 * [0]}},
        {**GOOD, "keys": {**GOOD["keys"], "p256dh": "ü" * 87}},
        {**GOOD, "keys": {**GOOD["keys"], "p256dh": encoded(b"\2" + bytes(64))}},
    ],
)
def test_what_is_not_a_subscription_is_refused(body: Any) -> None:
    with pytest.raises(UsageError):
        PushDevice.of(body)


def test_a_point_that_is_not_on_the_curve_and_a_service_without_a_name_are_refused(tmp_path: Path) -> None:
    nowhere = {**GOOD, "keys": {**GOOD["keys"], "p256dh": encoded(b"\4" + b"\1" * 64)}}
    with pytest.raises(UsageError, match="keys"):
        encrypted(PushDevice.of(nowhere), b"x")
    with pytest.raises(UsageError, match="address of a push service"):
        signature(PushDevices(tmp_path).key(), "https://[::1]/x")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"key": 1, "devices": []}', "[" * 100_000])
def test_a_file_that_is_damaged_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "push.json").write_text(text)

    assert PushDevices(tmp_path).all == ()


def test_a_browser_in_the_file_that_is_none_is_left_out(tmp_path: Path) -> None:
    devices = PushDevices(tmp_path)
    devices.add(device(Browser()))
    kept = json.loads((tmp_path / "push.json").read_text())
    [good] = kept["devices"]
    kept["devices"] = [{"id": "x"}, "x", {**good, "added_s": "now"}, {**good, "endpoint": "http://127.0.0.1/"}, good]
    (tmp_path / "push.json").write_text(json.dumps(kept))

    assert PushDevices(tmp_path).all == devices.all
