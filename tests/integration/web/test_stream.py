"""MJPEG over real sockets: viewers share each JPEG, and each viewer gets the newest one."""

import time
from contextlib import ExitStack

import cv2
import numpy as np
import pytest

from tests.eventually import eventually
from tests.integration.web.camera import Camera, Client
from vitcam.web.given import Binding
from vitcam.web.server import WebServer
from vitcam.web.stream import mjpeg


def seq(part: tuple[dict[str, str], bytes]) -> int:
    return int(part[0]["X-Vitcam-Seq"])


def age_s(part: tuple[dict[str, str], bytes]) -> float:
    return time.time() - float(part[0]["X-Timestamp"])


def parts_per_s(client: Client, seconds: float) -> float:
    client.read_part()
    began, count = time.monotonic(), 0
    while time.monotonic() - began < seconds:
        client.read_part()
        count += 1
    return count / (time.monotonic() - began)


@pytest.mark.smoke
@pytest.mark.parametrize("target", ["/stream", "/?action=stream"])
def test_a_stream_is_plain_multipart_with_a_jpeg_in_each_part(server: WebServer, target: str) -> None:
    with Client(server, target + ("&" if "?" in target else "?") + "width=320") as client:
        headers, jpeg = client.read_part()

    assert client.status == 200
    assert client.headers["Content-Type"].startswith("multipart/x-mixed-replace; boundary=")
    assert "Transfer-Encoding" not in client.headers
    assert headers["Content-Type"] == "image/jpeg"
    assert cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR).shape == (180, 320, 3)


def test_each_part_says_which_frame_it_shows_and_what_is_on_it(server: WebServer) -> None:
    with Client(server, "/stream") as client:
        parts = [client.read_part() for _ in range(5)]

    assert [seq(part) for part in parts] == sorted({seq(part) for part in parts})
    assert parts[0][0]["X-Vitcam-Label"] == "cup"
    assert float(parts[0][0]["X-Vitcam-P"]) == 0.9
    assert float(parts[0][0]["X-Vitcam-Infer-Ms"]) == 5.0
    assert age_s(parts[-1]) < 1


def test_many_viewers_of_one_variant_share_one_jpeg_a_frame(server: WebServer) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(Client(server, "/stream?width=320&fps=10")) for _ in range(12)]
        before, began = server.encoder.encoded, time.monotonic()
        parts = [client.read_part() for _ in range(10) for client in clients]
        encoded, frames_due = server.encoder.encoded - before, 10 * (time.monotonic() - began)

    assert len(parts) == 120
    assert encoded <= frames_due + 2


def test_nothing_is_encoded_and_no_slot_is_subscribed_while_nobody_watches(camera: Camera, server: WebServer) -> None:
    with Client(server, "/stream?width=320") as client:
        client.read_part()
    eventually(lambda: camera.latest._callbacks == ())
    camera.wait_for_frames(10)  # what was being encoded is done
    before = server.encoder.encoded
    camera.wait_for_frames(30)

    assert server.encoder.encoded == before
    assert camera.latest._callbacks == ()


def test_a_stream_has_the_requested_rate(server: WebServer) -> None:
    with Client(server, "/stream?width=320&fps=5") as client:
        rate = parts_per_s(client, 3)

    assert 3.5 <= rate <= 5.6


@pytest.mark.parametrize("noise", [2.0, 6.0])  # JPEGs of 40 and 115 kB
def test_after_a_pause_the_third_part_at_the_latest_is_fresh(noise: float) -> None:
    with Camera(noise=noise) as camera:
        server = WebServer(camera.parts(), Binding())
        server.start()
        with Client(server, "/stream?width=1280&fps=15") as client:
            for _ in range(15):
                client.read_part()
            camera.wait_for_frames(120)
            ages = [age_s(client.read_part()) for _ in range(3)]
        server.stop(2)

    assert ages[2] <= 0.5


def test_a_viewer_whose_buffer_becomes_smaller_is_not_mistaken_for_one_that_pauses(server: WebServer) -> None:
    # before the buffer has grown: a window that was announced is never taken back, and each probe uses some of it
    with Client(server, "/stream?width=640", window=64 * 1024) as client:
        parts_per_s(client, 1)
        client.shrink_buffer(32 * 1024)
        rate = parts_per_s(client, 4)

    assert rate > 8


def test_a_viewer_with_a_small_receive_window_gets_new_pictures_and_delays_nobody(
    camera: Camera, server: WebServer
) -> None:
    # of at least 32 kB: on the loopback, whose packets have 64, Linux probes smaller windows by a timer
    with Client(server, "/stream?width=320") as quick, Client(server, "/stream?width=320", window=32768) as narrow:
        parts: list[tuple[dict[str, str], bytes]] = []
        began = time.monotonic()
        while time.monotonic() - began < 4 or len(parts) < 5:
            parts.append(narrow.read_part())
            camera.wait_for_frames(3)
        age = age_s(parts[-1])
        rate = parts_per_s(quick, 2)

    assert all(jpeg.startswith(b"\xff\xd8") and jpeg.endswith(b"\xff\xd9") for _, jpeg in parts)
    assert [seq(part) for part in parts] == sorted({seq(part) for part in parts})
    assert age < 1.5
    assert rate > 8


@pytest.mark.fault(
    "a viewer never reads",
    injected="a connection that opens a stream and does not read",
    observed="it is disconnected",
)
def test_a_client_that_never_reads_is_disconnected(
    camera: Camera, server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mjpeg, "WRITE_TIMEOUT_S", 1.0)
    with Client(server, "/stream?width=960", read=False) as client:
        camera.wait_for_frames(75)
        client.read_head()
        began = time.monotonic()
        client.wait_for_end()

    assert time.monotonic() - began < 2


@pytest.mark.fault(
    "viewers never read",
    injected="20 connections that open a stream and do not read",
    observed="other viewers get every picture",
)
def test_twenty_clients_that_never_read_delay_no_other_client(camera: Camera, server: WebServer) -> None:
    with ExitStack() as stack:
        good = stack.enter_context(Client(server, "/stream?width=960"))
        alone = parts_per_s(good, 3)
        for _ in range(20):
            stack.enter_context(Client(server, "/stream?width=960", read=False))
        camera.wait_for_frames(15)
        rate = parts_per_s(good, 3)
        age = age_s(good.read_part())

    assert rate > 0.7 * alone  # the machine may have other work meanwhile
    assert age < 0.5


def test_a_slow_viewer_skips_frames_instead_of_falling_behind(camera: Camera, server: WebServer) -> None:
    with Client(server, "/stream?width=960&fps=30") as client:
        seen = []
        for _ in range(20):
            part = client.read_part()
            seen.append((seq(part), age_s(part)))
            camera.wait_for_frames(6)

    assert seen[-1][0] - seen[0][0] > 2 * len(seen)
    # who falls behind would be 3 s late by now, and later with each part
    assert min(age for _, age in seen[-5:]) < 1.0


def test_the_default_variant_is_always_allowed_however_many_others_are_watched(
    server: WebServer,
) -> None:
    with ExitStack() as stack:

        def watch(target: str, address: str) -> Client:
            return stack.enter_context(Client(server, target, address=address))

        for n, width in enumerate(range(160, 160 + 7 * 80, 80)):
            watch(f"/stream?width={width}", f"127.0.0.{2 + n // 4}").read_part()
        refused = watch("/stream?width=1280", "127.0.0.9")
        same = watch("/stream?width=160", "127.0.0.9")
        default = watch("/stream", "127.0.0.9")
        snapshot = watch("/snapshot.jpg", "127.0.0.8")

        assert refused.status == 429
        assert b"7 different pictures" in refused.read_body()
        assert same.status == 200
        assert default.read_part()[1].startswith(b"\xff\xd8")
        assert snapshot.status == 200


def test_one_address_may_watch_half_of_the_variants_and_another_one_the_rest(server: WebServer) -> None:
    with ExitStack() as stack:
        for width in range(160, 160 + 4 * 80, 80):
            stack.enter_context(Client(server, f"/stream?width={width}", address="127.0.0.2")).read_part()
        fifth = stack.enter_context(Client(server, "/stream?width=1280", address="127.0.0.2"))
        other = stack.enter_context(Client(server, "/stream?width=1280", address="127.0.0.3"))

        assert fifth.status == 429
        assert b"your address watches 4 different pictures" in fifth.read_body()
        assert other.read_part()[1].startswith(b"\xff\xd8")


def test_without_signal_the_stream_shows_a_placeholder_and_recovers_by_itself(
    camera: Camera, server: WebServer
) -> None:
    with Client(server, "/stream?width=320") as client:
        client.read_part()
        camera.lose_signal("the cable is loose")
        began = time.monotonic()
        while "X-Vitcam-Seq" in (part := client.read_part())[0]:
            assert time.monotonic() - began < 6
        cards = [client.read_part() for _ in range(2)]
        camera.find_signal()
        began = time.monotonic()
        while "X-Vitcam-Seq" not in (back := client.read_part())[0]:
            assert time.monotonic() - began < 3

    assert all("X-Vitcam-Seq" not in card[0] for card in cards)
    assert cards[0][1] == part[1]
    assert age_s(back) < 1


def test_a_stream_begins_with_a_placeholder_before_the_first_picture() -> None:
    camera = Camera()
    camera.lose_signal("no camera is connected")
    other = WebServer(camera.parts(), Binding())
    other.start()
    began = time.monotonic()
    with Client(other, "/stream?width=320") as client:
        headers, jpeg = client.read_part()
        first_s = time.monotonic() - began
        client.read_part()
        repeated_s = time.monotonic() - began
    other.stop(2)

    assert "X-Vitcam-Seq" not in headers
    assert jpeg.startswith(b"\xff\xd8")
    assert first_s < 0.9
    assert 0.9 < repeated_s < 4


def test_without_new_frames_the_last_picture_is_repeated_every_second(camera: Camera, server: WebServer) -> None:
    with Client(server, "/stream?width=320") as client:
        client.read_part()
        camera.freeze()
        while seq(client.read_part()) < camera.seq - 1:
            pass
        before = server.encoder.encoded
        began = time.monotonic()
        parts = [client.read_part() for _ in range(4)]
        took_s = time.monotonic() - began

    assert seq(parts[-1]) == seq(parts[-2])
    assert server.encoder.encoded == before
    assert 1.5 < took_s < 5
