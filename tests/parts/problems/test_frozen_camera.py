"""A network camera that hangs and still sends: reported in state, history and output, and opened again."""

import itertools
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon import daemon, get_json
from tests.eventually import eventually
from tests.http_camera import jpeg, keeps_sending, part, server

pytestmark = pytest.mark.long


class Hanging:
    """A camera that sees something new until it hangs; opening it again helps or not."""

    def __init__(self) -> None:
        self.opened = 0
        self.hangs = threading.Event()
        self._numbers = itertools.count()

    def answer(self, connection: socket.socket, request: bytes) -> None:
        self.opened += 1
        keeps_sending(self._parts(), every_s=0.05)(connection, request)

    def _parts(self) -> Iterator[bytes]:
        picture = jpeg()
        while True:
            if not self.hangs.is_set():
                picture = jpeg(60 + next(self._numbers) % 120)
            yield part(picture)


@pytest.mark.fault(
    "a camera hangs and sends the same picture without end",
    injected="a server that repeats one JPEG",
    observed="the problem `camera frozen`; the camera is opened again",
)
def test_a_frozen_camera_is_reported_and_opened_again(tmp_path: Path) -> None:
    camera, lines = Hanging(), tmp_path / "lines"
    with (
        server(camera.answer) as port,
        daemon(
            *("--source", f"http://127.0.0.1:{port}/", "--set", "problems.frozen_s=1", "--set", "model.fps=10"),
            stdout=str(lines),
            STATE_DIRECTORY=str(tmp_path),
        ) as running,
    ):
        well = running.wait_for("ok")
        camera.hangs.set()
        reported = eventually(lambda: running.state()["problem"] is not None, 20)
        frozen = running.state()
        again = eventually(lambda: camera.opened >= 3, 20)
        opened_while_frozen = running.state()
        camera.hangs.clear()
        over = eventually(lambda: running.state()["problem"] is None, 20)
        kept = eventually(lambda: [event for event in _events(running.url) if event["end"]], 20)
        events = _events(running.url)
        code, _ = running.end()

    assert well["problem"] is None
    assert reported
    assert (frozen["status"], "the camera is frozen" in frozen["problem"]) == ("ok", True)
    assert again
    assert opened_while_frozen["problem"] == frozen["problem"]
    assert over
    assert kept
    assert [(event["label"], event["kind"], event["end"] is not None) for event in events] == [
        ("camera frozen", "problem", True)
    ]
    assert [word for word in ('"phase": "new"', '"phase": "end"') if word in _about("camera frozen", lines)] == [
        '"phase": "new"',
        '"phase": "end"',
    ]
    assert code == 0


def test_a_camera_that_may_show_the_same_for_long_is_left_alone(tmp_path: Path) -> None:
    camera = Hanging()
    camera.hangs.set()
    with (
        server(camera.answer) as port,
        daemon("--source", f"http://127.0.0.1:{port}/", "--set", "problems.frozen_s=0") as running,
    ):
        running.wait_for("ok")
        after = running.state()["frames"]["captured"] + 60
        assert eventually(lambda: running.state()["frames"]["captured"] >= after, 30)
        state = running.state()

    assert (state["problem"], camera.opened) == (None, 1)


def _events(url: str) -> list[dict[str, object]]:
    """The stored problems."""
    found: list[dict[str, object]] = get_json(f"{url}/api/events?kind=problem")["events"]
    return found


def _about(label: str, lines: Path) -> str:
    """What was written about events of a label."""
    return "\n".join(line for line in lines.read_text().splitlines() if label in line)
