"""A camera is added over HTTP: with a password, a token or neither. It is kept once it has answered, and not before."""

import hashlib
import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.http_camera import OK, own_tls, sends, server
from tests.integration.web.camera import Camera
from tests.parts.peers.test_peer_watch import serving, watching, with_picture
from tests.secured import PASSWORD, ask, basic, protected
from vitcam.access.tokens import Scope, create_token
from vitcam.errors import UsageError
from vitcam.parts.peers.access import load_peer_access, peer_tokens_file
from vitcam.parts.peers.adding import addresses_of
from vitcam.parts.peers.peer import Peer
from vitcam.parts.peers.watch import PeerWatch
from vitcam.run.objects import Objects
from vitcam.web.given import Binding
from vitcam.web.server import WebServer
from vitcam.web.tls import CertificateFiles


@contextmanager
def household(camera: Camera, folder: Path, *own: Peer) -> Iterator[tuple[WebServer, PeerWatch]]:
    """A camera that keeps others in `folder`; the configuration names `own`."""
    with watching(*own, folder=folder) as watch:
        objects = Objects()
        objects.add(watch)
        page = WebServer(camera.parts(objects=objects), Binding())
        page.start()
        try:
            yield page, watch
        finally:
            page.stop(2)


def send(page: WebServer, method: str, target: str, **body: str) -> tuple[int, dict[str, Any]]:
    answer = ask(page.url, target, method, json.dumps(body) if body else None, {"Content-Type": "application/json"})
    return answer.status, json.loads(answer.body)


def add(page: WebServer, **body: str) -> tuple[int, dict[str, Any]]:
    return send(page, "POST", "/api/peers", **body)


def listed(page: WebServer) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = send(page, "GET", "/api/peers")[1]["peers"]
    return found


@pytest.mark.smoke
def test_a_camera_is_added_by_its_password_renamed_and_removed(tmp_path: Path, camera: Camera) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    with protected(camera, there) as garden, household(camera, here) as (page, watch):
        status, made = add(page, address=garden.url, password=PASSWORD, name="garden")
        names = [each["name"] for each in json.loads(ask(garden.url, "/api/tokens", headers=basic()).body)["tokens"]]
        kept = peer_tokens_file(here).read_text()
        with_picture(watch, "garden")
        twice = add(page, address=garden.url, password=PASSWORD, name="garden")
        renamed = send(page, "PATCH", "/api/peers/garden", name="porch")
        after = listed(page)
        removed = send(page, "DELETE", "/api/peers/porch")
        left, gone = listed(page), send(page, "DELETE", "/api/peers/porch")

    assert (status, made) == (200, {"name": "garden", "address": f"{garden.url}/"})
    assert len(names) == 1, "it asked for a token of its own"
    assert "vitcam_" in kept
    assert PASSWORD not in kept
    assert (twice[0], "already" in twice[1]["error"]) == (400, True)
    assert (renamed[0], removed[0], gone[0]) == (200, 200, 404)
    assert [(each["name"], each["added"]) for each in after] == [("porch", True)]
    assert (left, dict(load_peer_access(here))) == ([], {})


def test_a_token_or_nothing_does_where_it_fits_and_a_later_run_has_the_camera(tmp_path: Path, camera: Camera) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    token = create_token(there, "wall", Scope.READ)
    with protected(camera, there) as garden, serving(camera) as porch:
        with household(camera, here) as (page, _):
            answers = [
                add(page, address=garden.url, token=token),
                add(page, address=f" {porch.url.removeprefix('http://')} "),
                add(page, address=porch.url, password="it asks for none"),
            ]
        with household(camera, here) as (page, watch):
            again = [peer.name for peer in watch.peers]

    assert [(status, made.get("name")) for status, made in answers] == [
        (200, "camera-1"), (200, "camera-2"), (200, "camera-3"),
    ]  # fmt: skip
    assert again == ["camera-1", "camera-2", "camera-3"]


def test_what_cannot_be_added_is_said_in_one_sentence_and_nothing_is_kept(tmp_path: Path, camera: Camera) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    page_of_another = sends(OK + b"Content-Type: text/html\r\n\r\n<html>")
    with (
        protected(camera, there) as garden,
        server(page_of_another) as other,
        household(camera, here, Peer("door", "http://127.0.0.1:1")) as (page, _),
    ):
        said = {
            "no secret": add(page, address=garden.url),
            "a wrong password": add(page, address=garden.url, password="wrong"),
            "a wrong token": add(page, address=garden.url, token="vitcam_wrong"),
            "nobody there": add(page, address="127.0.0.1:1"),
            "no vitcam": add(page, address=f"http://127.0.0.1:{other}", password=PASSWORD),
            "no address": add(page, address="two words"),
            "a name of the configuration": add(page, address=garden.url, password=PASSWORD, name="door"),
            "no text": send(page, "POST", "/api/peers", address=garden.url, colour="red"),
        }
        fixed = [send(page, "DELETE", "/api/peers/door"), send(page, "PATCH", "/api/peers/door", name="x")]

    assert {what: status for what, (status, _) in said.items()} == dict.fromkeys(said, 400)
    for what, words in {
        "no secret": "type its password", "a wrong password": "does not accept this password",
        "a wrong token": "does not accept this token", "nobody there": "nothing answers", "no vitcam": "as vitcam does",
        "no address": "no address", "a name of the configuration": "already", "no text": "send {",
    }.items():  # fmt: skip
        assert words in said[what][1]["error"]
        assert "`vitcam" not in said[what][1]["error"], "nothing of the command line"
    keys = ["wants_password", "password", "token", "nothing", "no_vitcam", "bad_address", "taken"]
    assert [record["said"][0]["key"] for _, record in said.values() if "said" in record] == [
        f"peers.{key}" for key in keys
    ]
    assert [status for status, _ in fixed] == [409, 409]
    assert not peer_tokens_file(here).exists()


def test_a_certificate_of_its_own_is_shown_and_trusted_with_the_second_request(tmp_path: Path, camera: Camera) -> None:
    own_tls(tmp_path)
    certificate = ssl.PEM_cert_to_DER_cert((tmp_path / "certificate").read_text())
    digits = hashlib.sha256(certificate).hexdigest()
    files = CertificateFiles(tmp_path / "certificate", tmp_path / "key")
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    with (
        protected(camera, there, Binding(certificate=files)) as garden,
        household(camera, here) as (page, watch),
    ):
        host = garden.url.removeprefix("https://")
        first = add(page, address=host, password=PASSWORD)
        untouched = json.loads(ask(garden.url, "/api/tokens", headers=basic()).body)["tokens"]
        second = add(page, address=host, password=PASSWORD, fingerprint=first[1]["fingerprint"])
        with_picture(watch, second[1]["name"])

    assert (first[0], first[1]["fingerprint"].replace(":", "").lower()) == (409, digits)
    assert untouched == [], "the password was not sent to somebody who may be another one"
    assert (second[0], second[1]["address"]) == (200, f"https://{host}/")


def test_an_address_is_completed_as_a_person_means_it() -> None:
    assert addresses_of("192.168.1.21") == ["http://192.168.1.21:8420", "https://192.168.1.21:8420"]
    assert addresses_of("garden:80/cam") == ["http://garden:80/cam", "https://garden:80/cam"]
    assert addresses_of("https://garden") == ["https://garden"]
    for wrong in ("", "a b", "http://user:word@garden", "ftp://garden", "garden?x"):
        with pytest.raises(UsageError, match="no address"):
            addresses_of(wrong)
