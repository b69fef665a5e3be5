"""Masks are drawn while everything that holds pictures is busy with them: none of them gives one out after the answer.

What holds pictures is found by its kind, and looked into: a new class that derives from `HoldsPixels` fails here until
the run of this test has it and gives it pictures. The run is the daemon's own, with a slow disk, a broker that takes
its time and a phone that does, too; what it holds is looked at in this process.
"""

import base64
import gc
import importlib
import itertools
import json
import os
import pkgutil
import random
import select
import socket
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType

import cv2
import numpy as np
import pytest

import vitcam
from tests.daemon import answer_to, get_json
from tests.eventually import PATIENCE_S, eventually
from tests.http_camera import has_left, keeps_sending, part, server
from tests.integration.web.test_new_masks import (
    HEIGHT,
    MASK,
    NONE,
    SECRET,
    WIDTH,
    Background,
    Watcher,
    fetched,
    film,
    shown_secret,
)
from tests.integration.web.test_zones import put
from tests.mosquitto import Mosquitto, Subscriber
from vitcam.config.load import merge_layers
from vitcam.config.settings import Settings
from vitcam.daemon.assembly import assemble
from vitcam.daemon.daemon import Daemon, RunOptions
from vitcam.daemon.publisher import Publisher
from vitcam.daemon.shutdown import ShutdownRequest
from vitcam.frames import Image
from vitcam.parts.problems.watch import ProblemWatch
from vitcam.run.ending import Ending
from vitcam.run.kinds import HoldsPixels, Runs
from vitcam.run.underway import Underway
from vitcam.storage.files import is_unfinished

ROOT = Path(__file__).parents[3]
GOLDEN = ("coffee.jpg", "cat.jpg", "dog.jpg", "bird.jpg", "person.jpg")
PASSES_ON: dict[type[HoldsPixels], str] = {
    Publisher: "has those drop theirs that see",
    Underway: "knows of pictures, and waits for those who have them",
    ProblemWatch: "compares grey pictures of 16 px, which nobody gets",
}
"""What derives from `HoldsPixels` and has no picture in colour."""
PHONE = "phone"
SNAPSHOT = "vitcam/cam/snapshot"
_FEW = 50
"""px: a JPEG has some beside an edge."""
_SLOW_S = 1.0
"""What a picture takes to the disk and to the phone, and the broker to answer."""
_OF_PICTURES = 3000  # bytes; settings are smaller
_AFTER_S = 1.0
_PATIENT_S = 60.0
FOLDERS = {"datasets", "frames"}
"""In which pictures are written that their holders have let go by then."""
_ON_ITS_WAY_S = 0.05
_ELSEWHERE = ("vitcam.sources", "vitcam.model", "ai_edge_litert", "tests.")
_ATOMS = (str, int, float, type(None))
_NOT_LOOKED_INTO = (type, ModuleType, CodeType, FrameType, BuiltinFunctionType)


def holders_by_kind() -> set[type[HoldsPixels]]:
    """Every class of vitcam that keeps pictures and can be made."""
    for module in pkgutil.walk_packages(vitcam.__path__, "vitcam."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found, more = set[type[HoldsPixels]](), [HoldsPixels]
    while more:
        of = more.pop().__subclasses__()
        more.extend(of)
        found.update(each for each in of if each.__module__.startswith("vitcam."))
    return {each for each in found if not getattr(each, "__abstractmethods__", None)}


def pictures_in(*holders: HoldsPixels) -> Iterator[Image]:
    """Every picture that can be reached from some holders, and not only through another one.

    A source is not looked into: its pictures get their masks in the pipeline. Nor is a model, whose interpreter allows
    nobody to hold what is in it.
    """
    known, more, own = dict[int, object](), list[object](holders), {*map(id, holders)}
    while more:
        each = more.pop()
        if isinstance(each, _ATOMS):
            continue
        is_others = isinstance(each, HoldsPixels) or type(each).__module__.startswith(_ELSEWHERE)
        if id(each) in known or isinstance(each, _NOT_LOOKED_INTO) or (is_others and id(each) not in own):
            continue
        known[id(each)] = each
        if isinstance(each, np.ndarray):
            if each.dtype == np.uint8 and each.ndim == 3 and each.shape[2] == 3:
                yield each
        elif isinstance(each, bytes | bytearray):
            if each.startswith(b"\xff\xd8\xff"):
                yield decoded(bytes(each))
        elif isinstance(each, FunctionType):
            more.extend((each.__closure__, each.__defaults__, each.__kwdefaults__))
        else:
            more.extend(gc.get_referents(each))


def decoded(data: bytes) -> Image:
    """The first JPEG in some bytes, RGB; black where there is none."""
    found = data.find(b"\xff\xd8\xff")
    read = None if found < 0 else cv2.imdecode(np.frombuffer(data[found:], np.uint8), cv2.IMREAD_COLOR)
    return np.zeros((1, 1, 3), np.uint8) if read is None else np.asarray(read, np.uint8)


def shows_secret(*holders: HoldsPixels) -> bool:
    """Magenta is the same in RGB and in BGR."""
    return any(shown_secret(picture) > _FEW for picture in pictures_in(*holders))


def thing(number: int) -> bytes:
    """What the camera sees: the secret, and beside it two things at once, of which no model can be sure; each third
    time one alone.
    """
    chance = random.Random(number)
    one, other = (cv2.imread(str(ROOT / "models" / "golden" / name)) for name in chance.sample(GOLDEN, 2))
    turned = cv2.rotate(cv2.resize(np.asarray(other), (HEIGHT, HEIGHT)), chance.randrange(3))
    share = 1.0 if number % 3 == 0 else chance.uniform(0.3, 0.6)
    picture = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
    picture[:, 200:560] = cv2.addWeighted(cv2.resize(np.asarray(one), (HEIGHT, HEIGHT)), share, turned, 1 - share, 0)
    picture[:, :SECRET] = (255, 0, 255)
    return bytes(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes())


@contextmanager
def restless_camera(change_s: float = 2.0) -> Iterator[str]:
    """A network camera that sees another `thing` each `change_s`."""
    seen = lru_cache(4)(lambda number: part(thing(number)))

    def parts() -> Iterator[bytes]:
        while True:
            yield seen(int(time.monotonic() / change_s))

    def answer(connection: socket.socket, request: bytes) -> None:
        keeps_sending(parts(), 0.06)(connection, request)
        has_left(connection, within_s=60)

    with server(answer) as port:
        yield f"http://127.0.0.1:{port}/"


@dataclass
class Phone:
    """Gets messages, and takes its time: when each began to come and was over, and whether it shows the secret."""

    port: int = 0
    got: list[tuple[float, float, bool]] = field(default_factory=list)
    coming: int = 0

    @contextmanager
    def listening(self) -> Iterator["Phone"]:
        phone = self

        class Service(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                began_s, phone.coming = time.monotonic(), phone.coming + 1
                message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                pictures = [base64.b64decode(each["base64"]) for each in message["attachments"]]
                time.sleep(_SLOW_S)
                shown = any(shown_secret(decoded(each)) > _FEW for each in pictures)
                phone.got.append((began_s, time.monotonic(), shown))
                phone.coming -= 1
                with suppress(OSError):
                    self.send_response(200)
                    self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Service) as service:
            self.port = service.server_port
            threading.Thread(target=service.serve_forever, daemon=True).start()
            yield self
            service.shutdown()


@contextmanager
def far_away(port: int) -> Iterator[int]:
    """The port by which a broker's answers come late."""

    def carry(near: socket.socket) -> None:
        with near, socket.create_connection(("127.0.0.1", port)) as far, suppress(OSError):
            while True:
                for ready in select.select((near, far), (), ())[0]:
                    if not (data := ready.recv(65536)):
                        return
                    if ready is far:
                        time.sleep(_SLOW_S)
                    (near if ready is far else far).sendall(data)

    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=carry, args=(listening.accept()[0],), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1]


@dataclass
class Sight:
    """A file that lay on the disk: from when on it was seen, and until when."""

    path: Path
    shown: bool
    first_s: float
    last_s: float
    gone: bool = False
    """Missed by a whole look at all that there is."""


class Disk(Background):
    """Looks all the time at the folders that a run writes to, also at what is there for a moment only."""

    def __init__(self, *folders: Path) -> None:
        self._folders = folders
        self._seen: dict[tuple[Path, int, int], Sight] = {}
        self.over = threading.Event()

    @property
    def with_secret(self) -> list[Sight]:
        """Files that show the secret, or did."""
        return [each for each in [*self._seen.values()] if each.shown]

    @property
    def folders(self) -> set[str]:
        """Those with pictures."""
        return {self.first(each.path) for each in self.with_secret if not is_unfinished(each.path.name)}

    def first(self, path: Path) -> str:
        """The folder below the state folder, or the name of a folder for what is there only for a while."""
        folder = next(each for each in self._folders if path.is_relative_to(each))
        return path.relative_to(folder).parts[0] if folder.name == "state" else folder.name

    def run(self) -> None:
        while not self.over.is_set():
            began_s = time.monotonic()
            with suppress(OSError):  # a folder may be gone a moment later
                for path in itertools.chain(*(folder.rglob("*") for folder in self._folders)):
                    self._look_at(path)
                for seen in self._seen.values():
                    seen.gone = seen.last_s < began_s
            self.over.wait(0.005)

    def _look_at(self, path: Path) -> None:
        with suppress(OSError):
            if path.is_file() and not path.name.startswith(("events.db", "outbox.db")):
                at, now_s = path.stat(), time.monotonic()
                seen = self._seen.setdefault((path, at.st_ino, at.st_mtime_ns), Sight(path, False, now_s, now_s))
                seen.shown = seen.shown or (seen.first_s == now_s and _file_shows_secret(path))
                seen.last_s = now_s


def _file_shows_secret(path: Path) -> bool:
    data = path.read_bytes()
    shown = (
        film(path) if data[4:8] == b"ftyp" else iter((shown_secret(decoded(data)),))
    )  # also one without its name yet
    return any(px > _FEW for px in shown)


@contextmanager
def household(folder: Path, camera: str, broker: int, phone: int) -> Iterator[Daemon]:
    """A daemon with all that keeps pictures, whose objects the test can look into."""
    config = folder / "config.toml"
    config.write_text(
        f'[camera]\nsource = "{camera}"\n[web]\nport = 0\n[log]\nformat = "json"\n'
        "[events]\nenter = 0.15\nleave = 0.1\ndwell_s = 0.2\ngap_s = 0.4\nhalf_life_s = 0.2\n"
        "[clips]\nenabled = true\nbefore_s = 2\nafter_s = 0\nlongest_s = 2\nwidth = 320\n"
        f'[mqtt]\nhost = "127.0.0.1"\nport = {broker}\nname = "cam"\n'
        f'[[on]]\nname = "phone"\nnotify = ["json://127.0.0.1:{phone}"]\n'
    )

    def read() -> Settings:
        return merge_layers(config, [], {}, {}, folder / "none").settings

    daemon = assemble(RunOptions(read(), read), {"STATE_DIRECTORY": str(folder / "state")}, patient=True)
    assert daemon.web is not None
    daemon.web.start(lambda: None)
    daemon.pipeline.start(daemon.open_source)
    for each in daemon.objects.each(Runs):
        each.start()
    daemon.web.wait_until_serving()
    try:
        yield daemon
    finally:
        shutdown = ShutdownRequest()
        shutdown.requested = True
        ending = Ending(shutdown)
        daemon.photos.close()
        daemon.web.stop(5)
        daemon.pipeline.stop(5)
        daemon.publisher.close(None)
        for each in reversed(daemon.objects.each(Runs)):
            each.stop(ending)
        for worker in daemon.workers:
            worker.join(5)
        daemon.outbox.close()


def web_of(daemon: Daemon) -> str:
    assert daemon.web is not None
    return daemon.web.url


def holders_of(daemon: Daemon) -> list[HoldsPixels]:
    """All of a run that are told of masks."""
    assert daemon.web is not None
    return [*{*daemon.objects.each(HoldsPixels), *daemon.web._parts.areas._holders}]


@dataclass
class Around:
    """Everybody who may get a picture of a run."""

    url: str
    holders: list[HoldsPixels]
    disk: Disk
    phone: Phone
    home: Subscriber
    watcher: Watcher

    def is_busy(self, name: str) -> bool:
        """Whether a holder has the secret now, or it is being written in a folder, or sent to the phone."""
        if name == PHONE:
            return self.phone.coming > 0
        now_s = time.monotonic()
        return any(shows_secret(each) for each in self.holders if type(each).__name__ == name) or any(
            is_unfinished(each.path.name) and each.last_s > now_s - 0.05 and self.disk.first(each.path) == name
            for each in self.disk.with_secret
        )

    def leaks(self) -> dict[str, object]:
        """Draw the mask, and look for what it hides from the answer on; empty: nothing shows it."""
        lasting = next((each for each in get_json(f"{self.url}/api/events?limit=3")["events"] if not each["end"]), None)
        status, answer = put(self.url, MASK)
        after_s, messages = time.monotonic(), self.phone.coming
        assert (status, answer["warning"]) == (200, ""), answer
        ways: dict[str, Callable[[], bytes]] = {
            "snapshot": lambda: fetched(f"{self.url}/snapshot.jpg"),
            "plain snapshot": lambda: fetched(f"{self.url}/snapshot.jpg?overlay=none&quality=95&width=640"),
        }
        if lasting is not None and not get_json(f"{self.url}/api/events/{lasting['id']}")["end"]:
            ways["event that lasts"] = lambda: fetched(f"{self.url}/api/events/{lasting['id']}/frame.jpg")
        found: dict[str, object] = {name: shown_secret(decoded(way())) > _FEW for name, way in ways.items()}
        time.sleep(max(0.0, after_s + _ON_ITS_WAY_S - time.monotonic()))
        pictures = len(self.home.of(SNAPSHOT))
        time.sleep(_AFTER_S)
        found["stream"] = max(self.watcher.after(after_s)) > _FEW
        found["written after the answer"] = [str(each.path) for each in self.disk.with_secret if each.first_s > after_s]
        found["there after the answer, and not any more"] = [
            str(each.path) for each in self.disk.with_secret if each.first_s <= after_s <= each.last_s and each.gone
        ]
        found["on its way to the phone"] = messages and any(
            shown and began_s < after_s + _ON_ITS_WAY_S < ended_s for began_s, ended_s, shown in self.phone.got
        )
        found["sent to the phone"] = any(shown and began_s > after_s for began_s, _, shown in self.phone.got)
        sent = eventually(lambda: self.home.of(SNAPSHOT)[pictures:])
        found["kept by the broker"] = not sent
        found["sent to the broker"] = [at for at, each in enumerate(sent) if shown_secret(decoded(each)) > _FEW]
        found["in memory"] = not eventually(lambda: not shows_secret(*self.holders), 10, 0.1) and [
            type(each).__name__ for each in self.holders if shows_secret(each)
        ]
        return {name: what for name, what in found.items() if what}


@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")  # Apprise imports it
@pytest.mark.fault(
    "a privacy mask is drawn while everything that holds pictures is busy with them",
    injected="PUT /api/zones at such moments, with a slow disk, broker and phone",
    observed="from the answer on nothing without the mask is shown, written, sent or kept",
)
def test_whatever_holds_pictures_gives_none_out_once_a_mask_was_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = os.fsync

    def slowly(number: int) -> None:
        at = os.fstat(number)
        if stat.S_ISREG(at.st_mode) and at.st_size > _OF_PICTURES:
            time.sleep(_SLOW_S)
        sync(number)

    monkeypatch.setattr(os, "fsync", slowly)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr("vitcam.parts.teach.inbox.keeper._AT_ONCE", 1000)  # its pictures come as fast as they can
    for limit in ("run.underway._ENDS_S", "parts.clips.encoding._DROP_S", "web.routes.page._DROP_S"):
        monkeypatch.setattr(f"vitcam.{limit}", PATIENCE_S)  # a loaded machine takes longer, and would say so
    for name in ("state", "temporary"):
        (tmp_path / name).mkdir()
    with (
        restless_camera() as camera,
        Phone().listening() as phone,
        Mosquitto(tmp_path / "broker", saves=False) as broker,
        far_away(broker.port) as slow_broker,
        Subscriber(broker, SNAPSHOT) as home,
        household(tmp_path, camera, slow_broker, phone.port) as daemon,
        Disk(tmp_path / "state", tmp_path / "temporary").watching() as disk,
    ):
        url = web_of(daemon)
        with Watcher(url).watching() as watcher:
            assert eventually(lambda: watcher.found)
            holders = holders_of(daemon)
            idle, leaks = list[str](), dict[str, object]()
            around = Around(url, holders, disk, phone, home, watcher)
            assert {type(each) for each in holders} == holders_by_kind()
            for name in sorted({each.__name__ for each in holders_by_kind() - set(PASSES_ON)} | FOLDERS | {PHONE}):
                answer_to(f"{url}/api/collect", {"label": "thing", "seconds": 60, "whole": True}, "POST", {})
                assert eventually(lambda: watcher.found[-1][1] > _FEW)
                if not eventually(partial(around.is_busy, name), _PATIENT_S, 0):
                    idle.append(name)
                found = around.leaks()
                if found:
                    leaks[name] = found
                assert put(url, NONE)[0] == 200
    assert leaks == {}
    assert idle == []
