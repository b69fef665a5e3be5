"""TLS with real certificates: streams, renewal, and certificates that cannot be used."""

import os
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.certificates import make_certificate
from tests.eventually import eventually
from tests.integration.web.camera import Camera
from tests.integration.web.lines import is_closed
from tests.needs import need_program
from tests.secured import ask, log_in, protected, sent
from vitcam.errors import ConfigError
from vitcam.web.given import Binding
from vitcam.web.server import WebServer
from vitcam.web.tls import Certificate, CertificateFiles

PATIENCE_S = 30.0  # a silent connection may stay for 20 s
FRAMES = 120


@pytest.fixture
def files(tmp_path: Path) -> CertificateFiles:
    return CertificateFiles(*make_certificate(tmp_path))


@contextmanager
def encrypted(camera: Camera, folder: Path, files: CertificateFiles) -> Iterator[WebServer]:
    with protected(camera, folder, Binding(certificate=files)) as server:
        yield server


def name_of(server: WebServer) -> str:
    """The certificate that a new connection gets, as PEM."""
    place = urlsplit(server.url)
    return ssl.get_server_certificate((str(place.hostname), place.port or 0), timeout=10)


def test_everything_is_served_over_tls_and_the_cookie_stays_there(
    camera: Camera, folder: Path, files: CertificateFiles
) -> None:
    with encrypted(camera, folder, files) as server:
        answer = log_in(server.url)
        known = {"Cookie": f"vitcam_session={answer.session}"}
        with sent(server.url, "/stream?width=320", headers=known) as stream:
            picture = stream.read(20_000)

        assert server.url.startswith("https://")
        assert "Secure" in answer.header("Set-Cookie")
        assert b"\xff\xd8\xff" in picture
        assert ask(server.url, "/api/state", headers=known).status == 200


def test_a_viewer_over_tls_that_stops_reading_gets_the_newest_frame_afterwards(
    camera: Camera, folder: Path, files: CertificateFiles
) -> None:
    with encrypted(camera, folder, files) as server:
        known = {"Cookie": f"vitcam_session={log_in(server.url).session}"}
        with sent(server.url, "/stream", headers=known) as stream:
            stream.read(1000)
            last = camera.seq + FRAMES
            assert eventually(lambda: camera.seq > last, PATIENCE_S)
            seen = [0]
            while seen[-1] < last:
                line = stream.readline()
                if line.startswith(b"X-Vitcam-Seq:"):
                    seen.append(int(line.split(b":")[1]))

    assert len(seen) < FRAMES / 2  # the others were never sent


def test_a_renewed_certificate_is_taken_without_a_restart_and_streams_go_on(
    camera: Camera, folder: Path, files: CertificateFiles, tmp_path: Path
) -> None:
    with encrypted(camera, folder, files) as server:
        known = {"Cookie": f"vitcam_session={log_in(server.url).session}"}
        before = name_of(server)
        with sent(server.url, "/stream?width=320", headers=known) as stream:
            stream.read(1000)
            new = tmp_path / "new"
            new.mkdir()
            for made, used in zip(make_certificate(new), (files.certificate, files.key), strict=True):
                assert used is not None
                made.replace(used)
            assert eventually(lambda: name_of(server) != before, PATIENCE_S)

            assert stream.read(1000)


def test_a_new_certificate_that_cannot_be_used_changes_nothing_until_it_is_right(
    files: CertificateFiles, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "vitcam.web.tls")
    certificate = Certificate(files)
    other = tmp_path / "other"
    other.mkdir()
    made, key = make_certificate(other)
    files.certificate.write_bytes(made.read_bytes())  # the key is still that of the old one
    certificate.refresh()
    refused = caplog.text
    certificate.refresh()
    said_once = caplog.text == refused
    assert files.key is not None
    files.key.write_bytes(key.read_bytes())
    certificate.refresh()

    assert "the old certificate stays in use" in refused
    assert said_once
    assert "is in use for new connections" in caplog.text


@pytest.mark.parametrize(
    "wrong", ["absent", "a folder", "empty", "garbage", "only the key", "encrypted", "another key"]
)
def test_a_certificate_that_cannot_be_used_at_the_start_is_refused_with_a_sentence(
    files: CertificateFiles, tmp_path: Path, wrong: str
) -> None:
    assert files.key is not None
    match wrong:
        case "absent":
            files.certificate.unlink()
        case "a folder":
            files.certificate.unlink()
            files.certificate.mkdir()
        case "empty":
            files.certificate.write_bytes(b"")
        case "garbage":
            files.certificate.write_bytes(os.urandom(2000))
        case "only the key":
            files.certificate.write_bytes(files.key.read_bytes())
        case "encrypted":
            sealed = tmp_path / "sealed.pem"
            command = [need_program("openssl"), "pkey", "-in", str(files.key), "-aes256", "-passout", "pass:x"]
            subprocess.run([*command, "-out", str(sealed)], check=True, capture_output=True, timeout=60)
            sealed.replace(files.key)
        case _:
            other = tmp_path / "other"
            other.mkdir()
            files.key.write_bytes(make_certificate(other)[1].read_bytes())

    with pytest.raises(ConfigError) as refusal:
        Certificate(files)
    assert str(files.certificate.parent) in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert (wrong == "encrypted") == ("is encrypted" in str(refusal.value))


def test_clients_without_tls_and_idle_handshakes_are_closed_and_harm_nobody(
    camera: Camera, folder: Path, files: CertificateFiles
) -> None:
    with encrypted(camera, folder, files) as server:
        place = urlsplit(server.url)
        lines = [socket.create_connection((str(place.hostname), place.port or 0), 30) for _ in range(40)]
        for line in lines[:20]:
            line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answered = ask(server.url, "/healthz").status
        closed = [is_closed(line, PATIENCE_S) for line in lines]
        for line in lines:
            line.close()

        assert answered == 200
        assert all(closed)
        assert not [thread for thread in threading.enumerate() if thread.name == "web" and not thread.is_alive()]
