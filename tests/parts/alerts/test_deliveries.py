"""Webhooks arrive once, signed, in order, whatever the receiver does and however often the daemon starts again."""

import json
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.certificates import make_certificate
from tests.http_camera import OK, sends, server
from tests.parts.alerts.doing import Kept, task
from tests.parts.alerts.receiver import receiver
from vitcam.parts.alerts import deliveries, http_post
from vitcam.parts.alerts.deliveries import Deliveries
from vitcam.parts.alerts.settings import OnSettings
from vitcam.parts.alerts.task import Task
from vitcam.parts.alerts.webhook import Webhook
from vitcam.storage import outbox
from vitcam.storage.outbox import Delivery, Outbox

SECRET = "a key of this test"


def hook(url: str, id_: str = "01A", name: str = "lamp") -> Task:
    return task(OnSettings(name, webhook=url), id_)


@contextmanager
def delivering(folder: Path | None, kept: Kept, *urls: str, secret: str = SECRET) -> Iterator[Deliveries]:
    """A sender whose pauses are short; it ends with the `with`, as with the daemon."""
    box = Outbox(folder)
    found = Deliveries(Webhook(secret), box, kept, first_pause_s=0.02)
    found.serve(OnSettings(webhook=url) for url in urls)
    try:
        yield found
    finally:
        found.close()
        found.leave(time.monotonic() + 20)
        assert found._worker.join(0)
        box.close()


def waiting_in(folder: Path) -> list[str]:
    """The events of the webhooks in an outbox that nobody uses now."""
    found = Outbox(folder)
    try:
        return [
            each.event_id for head in found.heads("webhook") for each in found.first("webhook", head.destination, 99)
        ]
    finally:
        found.close()


def statuses(kept: Kept) -> list[tuple[str, str]]:
    return [(outcome.event_id, outcome.status) for outcome in kept.all]


def test_an_event_is_posted_as_json_with_a_signature_and_its_id(tmp_path: Path) -> None:
    kept = Kept()
    with receiver() as there, delivering(tmp_path, kept, there.url) as webhooks:
        webhooks.put(hook(there.url))
        kept.wait_for_count(1)

    record, headers = json.loads(there.bodies[0]), there.headers[0]
    assert (record["id"], record["label"], record["rule"]) == ("01A", "tabby", "lamp")
    assert headers["Content-Type"] == "application/json"
    assert headers["Idempotency-Key"] == "01A-lamp"
    assert is_from_vitcam(SECRET, headers["X-Vitcam-Timestamp"], there.bodies[0], headers["X-Vitcam-Signature"])
    assert not is_from_vitcam("other", headers["X-Vitcam-Timestamp"], there.bodies[0], headers["X-Vitcam-Signature"])
    assert abs(int(headers["X-Vitcam-Timestamp"]) - time.time()) < 60
    assert kept.all[0].status == "ok"
    assert kept.all[0].detail.endswith("answered 200")


def is_from_vitcam(secret: str, timestamp: str, body: bytes, signature: str) -> bool:
    """The function of docs/use/actions.md, run as it stands there."""
    page = (Path(__file__).parents[3] / "docs/use/actions.md").read_text("utf-8")
    code = next(part for part in page.split("```python\n")[1:] if "def is_from_vitcam" in part).split("```")[0]
    names: dict[str, object] = {}
    exec(code, names)
    found = names["is_from_vitcam"](secret, timestamp, body, signature)  # type: ignore[operator]
    assert isinstance(found, bool)
    return found


def test_without_a_secret_nothing_is_signed(tmp_path: Path) -> None:
    kept = Kept()
    with receiver() as there, delivering(tmp_path, kept, there.url, secret="") as webhooks:
        webhooks.put(hook(there.url))
        kept.wait_for_count(1)

    assert "X-Vitcam-Signature" not in there.headers[0]


@pytest.mark.fault(
    "the receiver of a webhook fails for a while",
    injected="it answers 500, 503, 429 and then 200",
    observed="the event says that the webhook waits, then that it arrived; attempts have one key, one at a time",
)
def test_a_receiver_that_fails_for_a_while_is_asked_again_until_it_takes_the_webhook(tmp_path: Path) -> None:
    answers = [500, 503, 429, 200]
    kept = Kept()
    with receiver(lambda number: answers[min(number, 3)]) as there, delivering(tmp_path, kept, there.url) as webhooks:
        webhooks.put(hook(there.url, "1"))
        webhooks.put(hook(there.url, "2"))
        kept.wait_for(lambda all_: sum(outcome.status == "ok" for outcome in all_) == 2)

    assert statuses(kept)[0] == ("1", "waiting")
    assert [one for one in statuses(kept) if one[1] == "ok"] == [("1", "ok"), ("2", "ok")]
    assert kept.all[0].detail.endswith("answered 500; it is tried again")
    assert [headers["Idempotency-Key"] for headers in there.headers] == ["1-lamp"] * 4 + ["2-lamp"]
    assert there.most_at_once == 1


@pytest.mark.parametrize("status", [400, 401, 404, 410, 301, 308])
def test_a_receiver_that_refuses_is_not_asked_again_and_no_redirect_is_followed(tmp_path: Path, status: int) -> None:
    kept = Kept()
    with receiver(lambda _: status) as there, delivering(tmp_path, kept, there.url) as webhooks:
        webhooks.put(hook(there.url))
        kept.wait_for_count(1)

    assert kept.all[0].status == "failed"
    assert f"answered {status}" in kept.all[0].detail
    assert len(there.bodies) == 1
    assert waiting_in(tmp_path) == []


@pytest.mark.fault(
    "the daemon ends while webhooks wait",
    injected="the receiver is away for the whole of one run, and there in the next",
    observed="every webhook arrives in the next run, once and in order; one of a rule that is gone is given up",
)
def test_webhooks_that_wait_survive_a_restart(tmp_path: Path) -> None:
    before, after = Kept(), Kept()
    with receiver() as there:
        url, port = there.url, int(there.url.split(":")[2].split("/")[0])
    with delivering(tmp_path, before, url) as webhooks:
        for number in range(5):
            webhooks.put(hook(url, str(number)))
        webhooks.put(hook("http://127.0.0.1:1/gone", "gone"))
        webhooks.serve(OnSettings(webhook=each) for each in (url, "http://127.0.0.1:1/gone"))
        before.wait_for_count(2)

    with receiver(port=port) as there, delivering(tmp_path, after, url) as webhooks:
        webhooks.start()
        after.wait_for_count(6)

    assert {outcome.status for outcome in before.all} == {"waiting"}
    assert [json.loads(body)["id"] for body in there.bodies] == [str(number) for number in range(5)]
    assert sorted(statuses(after)) == [*((str(number), "ok") for number in range(5)), ("gone", "failed")]


@pytest.mark.fault(
    "the receiver of a webhook hangs",
    injected="it takes the request and never answers, or sends a byte now and then",
    observed="after the time limit it counts as failed; webhooks to other receivers arrive meanwhile",
)
def test_a_receiver_that_hangs_delays_no_other_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_post, "TIMEOUT_S", 0.3)
    kept = Kept()
    with (
        receiver(lambda _: None) as stuck,
        receiver() as there,
        server(sends(b"HTTP/1.1 200 OK\r\nX-Slow: ", then_s=30)) as port,
        delivering(tmp_path, kept, stuck.url, there.url, f"http://127.0.0.1:{port}/") as webhooks,
    ):
        webhooks.put(hook(stuck.url, "stuck"))
        webhooks.put(hook(f"http://127.0.0.1:{port}/", "slow"))
        webhooks.put(hook(there.url, "there"))
        kept.wait_for_count(3)

    assert set(statuses(kept)[:3]) == {("stuck", "waiting"), ("slow", "waiting"), ("there", "ok")}
    assert "did not answer within 0.3 s" in kept.all[0].detail


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"SSH-2.0-OpenSSH\r\n\r\n", "did not answer as a web server does"),
        (b"", "did not answer as a web server does"),
        (OK + b"X: " + b"y" * 100_000 + b"\r\n\r\n", "did not answer as a web server does"),
    ],
)
def test_what_is_no_web_server_is_told_without_the_path_of_the_address(tmp_path: Path, data: bytes, why: str) -> None:
    kept = Kept()
    with server(sends(data)) as port:
        url = f"http://127.0.0.1:{port}/hook/secret-path"
        with delivering(tmp_path, kept, url) as webhooks:
            webhooks.put(hook(url))
            kept.wait_for_count(1)

    assert kept.all[0].status == "waiting"
    assert kept.all[0].detail.startswith(f"127.0.0.1:{port} {why}")
    assert "secret-path" not in kept.all[0].detail


def test_an_answer_without_end_is_read_to_its_limit_only(tmp_path: Path) -> None:
    kept = Kept()
    endless = OK + b"Content-Length: 99999999999\r\n\r\n" + b"x" * 100_000
    with server(sends(endless)) as port, delivering(tmp_path, kept, f"http://127.0.0.1:{port}/") as webhooks:
        webhooks.put(hook(f"http://127.0.0.1:{port}/"))
        kept.wait_for_count(1)

    assert kept.all[0].status == "ok"


def test_a_certificate_that_nobody_signed_is_not_trusted(tmp_path: Path) -> None:
    kept, tls = Kept(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*make_certificate(tmp_path))
    with server(sends(OK + b"Content-Length: 0\r\n\r\n"), tls) as port:
        url = f"https://127.0.0.1:{port}/"
        with delivering(tmp_path, kept, url) as webhooks:
            webhooks.put(hook(url))
            kept.wait_for_count(1)

    assert kept.all[0].detail == f"the certificate of 127.0.0.1:{port} cannot be trusted; it is tried again"


def test_what_waits_is_bounded_by_number_and_the_oldest_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "MOST_BYTES", 1600)  # of three
    kept = Kept()
    url = "http://127.0.0.1:1/"
    with delivering(tmp_path, kept, url) as webhooks:
        for number in range(5):
            webhooks.put(hook(url, str(number)))
        kept.wait_for(lambda all_: sum(outcome.status == "failed" for outcome in all_) == 2)

    gone = [outcome for outcome in kept.all if outcome.status == "failed"]
    assert [outcome.event_id for outcome in gone] == ["0", "1"]
    assert gone[0].detail == "it is too old, or too many newer ones wait"
    assert waiting_in(tmp_path) == ["2", "3", "4"]


def test_what_has_failed_for_a_day_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "_MOST_AGE_S", 0.0)
    kept, url = Kept(), "http://127.0.0.1:1/"
    with delivering(tmp_path, kept, url) as webhooks:
        webhooks.put(hook(url))
        kept.wait_for_count(2)

    assert statuses(kept) == [("01A", "waiting"), ("01A", "failed")]
    assert kept.all[1].detail == "127.0.0.1:1 cannot be reached: Connection refused, for a day"


@pytest.mark.fault(
    "the clock is 40 days ahead while webhooks wait",
    injected="the clock is set 40 days ahead while a webhook waits for a receiver that does not answer",
    observed="it is not given up: only tries count, for a day",
)
def test_a_clock_that_is_ahead_gives_up_no_webhook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, url = Kept(), "http://127.0.0.1:1/"
    old = Outbox(tmp_path)
    old.put(Delivery("webhook", url, "old", "lamp", "{}"))
    old.close()
    true_time = time.time
    monkeypatch.setattr(time, "time", lambda: true_time() + 40 * 86_400)
    with delivering(tmp_path, kept, url) as webhooks:
        webhooks.start()
        kept.wait_for_count(1)

    assert statuses(kept) == [("old", "waiting")]
    assert waiting_in(tmp_path) == ["old"]


@pytest.mark.fault(
    "the outbox is damaged",
    injected="a file that is not a database, and one that was cut",
    observed="it is renamed, a new one begins, and webhooks arrive",
)
@pytest.mark.parametrize("content", [b"no database " * 1000, b""])
def test_a_damaged_outbox_is_set_aside(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "outbox.db").write_bytes(content)
    kept = Kept()
    with receiver() as there, delivering(tmp_path, kept, there.url) as webhooks:
        webhooks.put(hook(there.url))
        kept.wait_for_count(1)

    assert statuses(kept) == [("01A", "ok")]
    assert len([*tmp_path.glob("outbox.db.damaged-*T*")]) == bool(content)
    assert (tmp_path / "outbox.db").stat().st_mode & 0o777 == 0o600


def test_where_the_outbox_cannot_be_written_webhooks_are_delivered_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = Kept()
    with receiver() as there, delivering(tmp_path / "file", kept, there.url) as webhooks:
        webhooks.put(hook(there.url))
        kept.wait_for_count(1)

    assert statuses(kept) == [("01A", "ok")]


def test_webhooks_that_no_later_run_will_deliver_have_failed_at_the_end() -> None:
    kept = Kept()
    with receiver(lambda _: 500) as there, delivering(None, kept, there.url) as webhooks:
        for number in range(3):
            webhooks.put(hook(there.url, str(number)))
        kept.wait_for_count(1)
        webhooks.close()
        webhooks.leave(time.monotonic() + 20)
        webhooks.put(hook(there.url, "late"))

    ends = {outcome.event_id: outcome.detail for outcome in kept.all if outcome.status == "failed"}
    assert ends == dict.fromkeys("012", "vitcam ended before it was delivered") | {
        "late": "vitcam ended before it began"
    }


def test_an_error_in_the_delivery_loses_no_webhook(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, failures = Kept(), [RuntimeError("a bug"), MemoryError()]
    next_of = Deliveries._next

    def fails_at_first(self: Deliveries, outbox: Outbox) -> Delivery | None:
        if outbox.waiting("webhook") and failures:
            raise failures.pop()
        return next_of(self, outbox)

    monkeypatch.setattr(Deliveries, "_next", fails_at_first)
    with receiver() as there, delivering(None, kept, there.url) as webhooks:
        webhooks.put(hook(there.url))
        kept.wait_for_count(1)

        assert "no webhook is sent" in webhooks.workers[0].trouble()
    assert statuses(kept) == [("01A", "ok")]


def test_a_host_without_a_name_is_said_so(tmp_path: Path) -> None:
    kept, url = Kept(), "http://no-host.invalid/"
    with delivering(tmp_path, kept, url) as webhooks:
        webhooks.put(hook(url))
        kept.wait_for_count(1)

    assert kept.all[0].detail == "no-host.invalid cannot be reached: its name is not known; it is tried again"
