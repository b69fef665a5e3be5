"""The inbox over HTTP: what waits is listed, named, thrown away and taken back; who may only look changes nothing."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from tests.eventually import eventually
from tests.histories import change
from tests.integration.web.camera import Camera
from tests.parts.teach.inbox.entries import JPEG, entry
from tests.secured import bearer, quick_hash
from vitcam.access.guard import Guard
from vitcam.access.password import save_password
from vitcam.access.tokens import Scope, create_token
from vitcam.history.store import EventStore
from vitcam.parts.teach.datasets.store import DataSets
from vitcam.parts.teach.inbox.answers import InboxAnswers
from vitcam.parts.teach.inbox.keeper import InboxKeeper
from vitcam.parts.teach.inbox.store import Inbox, InboxLimits
from vitcam.run.objects import Objects
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

EVENT = "01" + 24 * "A"


@pytest.fixture
def answers(tmp_path: Path) -> InboxAnswers:
    inbox = Inbox(tmp_path, InboxLimits(9, 10.0))
    for number in range(3):
        inbox.add(entry(number, 0.9 - number / 10), JPEG)
    return InboxAnswers(inbox, DataSets(tmp_path, 10.0))


@pytest.fixture
def serving(camera: Camera, answers: InboxAnswers, store: EventStore) -> Iterator[WebServer]:
    running = WebServer(camera.parts(objects=Objects(InboxKeeper(answers, str)), history=store), Binding())
    running.start()
    running.wait_until_serving()
    yield running
    running.stop(2)


def ask(server: WebServer, target: str, method: str = "GET", body: Any = None, **headers: str) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{server.url}/api/{target}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            found = answer.read()
            return answer.status, json.loads(found) if found[:1] == b"{" else found
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.load(refusal)


def test_what_waits_is_listed_named_thrown_away_and_taken_back(serving: WebServer, answers: InboxAnswers) -> None:
    one, two, three = (entry(number).id for number in range(3))
    _, listed = ask(serving, "inbox")
    picture = ask(serving, f"inbox/{one}/frame.jpg")
    _, named = ask(serving, f"inbox/{one}", "POST", {"label": "Mia"})
    elsewhere = ask(serving, f"inbox/{two}", "POST", {"label": "Tom", "dataset": "cats"})[0]
    _, thrown = ask(serving, f"inbox/{three}", "POST", {"label": None})
    _, back = ask(serving, f"inbox/{one}/answer", "DELETE")
    again = ask(serving, f"inbox/{one}/answer", "DELETE")[0]
    labels = {each.name: each.labels for each in answers.data_sets.all()}
    _, cleared = ask(serving, "inbox", "DELETE")

    assert [each["id"] for each in listed["pictures"]] == [one, two, three]
    assert listed["pictures"][0]["top"][0] == {"label": "cup", "p": 0.4}
    assert (listed["dataset"], listed["base"], listed["add_to"]) == ("mine", "everyday", True)
    assert picture == (200, JPEG)
    assert (named["labels"], named["corrections"], len(named["pictures"])) == (["Mia"], 1, 2)
    assert (elsewhere, thrown["pictures"]) == (200, [])
    assert [each["id"] for each in back["pictures"]] == [one]
    assert again == HTTPStatus.BAD_REQUEST
    assert labels == {"cats": {"Tom": 1}, "mine": {}}
    assert cleared["pictures"] == []


@pytest.mark.parametrize(
    ("target", "body"),
    [
        (entry(1).id, {}),
        (entry(1).id, {"label": 7}),
        (entry(1).id, {"label": "a/b"}),
        (entry(1).id, {"label": "cup", "dataset": "../x"}),
        (entry(1).id, {"label": "cup", "colour": "red"}),
        (entry(1).id, ["label"]),
        ("inbox-..%2f..%2fevents", {"label": "cup"}),
        ("inbox-none", {"label": "cup"}),
    ],
)
def test_what_cannot_be_an_answer_is_refused_and_nothing_is_changed(
    serving: WebServer, answers: InboxAnswers, target: str, body: Any
) -> None:
    status, refusal = ask(serving, f"inbox/{target}", "POST", body)

    assert (status, refusal.keys() - {"said"}) == (400, {"error"})
    assert len(answers.inbox.entries()) == 3


def test_who_may_only_look_names_nothing(camera: Camera, answers: InboxAnswers, tmp_path: Path) -> None:
    save_password(tmp_path, quick_hash())
    token = bearer(create_token(tmp_path, "eye", Scope.READ))
    server = WebServer(
        camera.parts(objects=Objects(InboxKeeper(answers, str))), Binding(guard=Guard(quick_hash(), tmp_path))
    )
    server.start()
    server.wait_until_serving()
    try:
        seen = ask(server, "inbox", **token)[0]
        found = [
            ask(server, target, method, {"label": None}, **token)[0]
            for target, method in (
                (f"inbox/{entry(1).id}", "POST"),
                (f"inbox/{entry(1).id}/answer", "DELETE"),
                ("inbox", "DELETE"),
            )
        ]
        nobody = ask(server, "inbox")[0]
    finally:
        server.stop(2)

    assert (seen, found, nobody) == (200, [403] * 3, 401)
    assert len(answers.inbox.entries()) == 3


def test_a_run_without_an_inbox_says_why(camera: Camera) -> None:
    server = WebServer(camera.parts(), Binding())
    server.start()
    server.wait_until_serving()
    status, refusal = ask(server, "inbox")
    server.stop(2)

    assert status == HTTPStatus.NOT_FOUND
    assert "store.enabled" in refusal["error"]


def test_a_corrected_event_is_taught_at_once_and_never_asked_until_it_is_taken_back_or_deleted(
    serving: WebServer, store: EventStore, answers: InboxAnswers
) -> None:
    def taught() -> dict[str, int]:
        return next((each.labels for each in answers.data_sets.all() if each.name == "mine"), {})

    store.put(change(EVENT, "end", "cup", JPEG))
    assert eventually(lambda: store.get(EVENT))
    ask(serving, f"events/{EVENT}", "PATCH", {"favourite": True})
    ask(serving, f"events/{EVENT}", "PATCH", {"label": "mug"})
    ask(serving, f"events/{EVENT}", "PATCH", {"label": "Mia's mug"})
    found, record = taught(), ask(serving, "inbox")[1]
    ask(serving, f"events/{EVENT}", "PATCH", {"label": None})
    taken_back = taught()
    ask(serving, f"events/{EVENT}", "PATCH", {"label": "a/b"})
    asked = [each["label"] for each in ask(serving, "inbox")[1]["pictures"]]
    ask(serving, f"events/{EVENT}", "PATCH", {"label": "mug"})
    again, left = taught(), len(ask(serving, "inbox")[1]["pictures"])
    ask(serving, f"events/{EVENT}", "DELETE")
    deleted = taught()

    assert found == {"Mia's mug": 1}
    assert (record["counts"], record["enough"], record["corrections"]) == ({"Mia's mug": 1}, 10, 1)
    assert len(record["pictures"]) == 3, "nobody is asked about it"
    assert taken_back == {}
    assert asked == ["a/b", None, None, None], "what can be no label of a data set is asked about"
    assert (again, left) == ({"mug": 1}, 3)
    assert deleted == {}
