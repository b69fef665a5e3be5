"""`vitcam run` in a root, asked from outside as a browser and a script would, then ended."""

import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.arm64.root import Root
from tests.daemon import free_port, get_json
from tests.eventually import eventually
from tests.integration.web.browser import console_errors, open_browser
from tests.pivm.report import Report
from vitcam.pictures.overlay import coloured

SLOW = 1200
"""Seconds for what takes a few on a Pi; emulated beside other work it may take minutes."""
STILL = "models/golden/coffee.jpg"
"""It stays: a film would have gone on before the emulated model has answered, and be shown without colours."""
NEAR = 40
"""Levels by which JPEG moves a colour, summed over its three parts, on average."""
HEATS_AT_LEAST = 64
"""Of the table's 256, in a picture of warm and cold spots."""


def daemon(root: Root, photo: Path, shown: Path, report: Report) -> None:
    """Look at everything it serves.

    photo  one that is sent to it
    shown  where its pictures are kept; their names begin with this path's own
    """
    port = free_port()
    base, log = f"http://127.0.0.1:{port}", Path(f"{shown}-daemon.log")
    running = root.start(f"vitcam run --source {STILL} --port {port} --log json --set model.threads=1", log)
    try:
        ready = eventually(lambda: running.poll() is not None or status(base) == "ok", SLOW) and running.poll() is None
        report.check("the daemon classifies a photo", ready, log.read_text()[-1500:] if not ready else "")
        if ready:
            look(base, photo, shown, report)
            end(running, port, report)
    finally:
        running.kill()
        running.wait()
    report.check("the daemon wrote no traceback", "Traceback" not in log.read_text(), log.read_text()[-1500:])


def look(base: str, photo: Path, shown: Path, report: Report) -> None:
    plain = snapshot(base, "none", shown)
    report.check("the snapshot is a picture", bool(plain.any()))
    for kind in ("evidence", "attention", "rollout", "grid"):
        report.check(f"overlay={kind} is drawn", eventually(partial(is_drawn, base, kind, shown, plain), SLOW))
    report.check("heat has its colours, from dark to yellow", *is_of_the_table(snapshot(base, "heat", shown)))
    report.check("the stream gives pictures", streams(f"{base}/stream?overlay=heat&width=320"))
    answer = ask(f"{base}/api/classify", photo.read_bytes())
    report.check("a photo that is sent is answered", b'"top"' in answer, answer[:300])
    with tempfile.TemporaryDirectory() as profile, open_browser(Path(profile), 1280, 800) as browser:
        browser.get(base)
        width = "return document.getElementById('picture').naturalWidth"
        report.check("the page shows the picture", eventually(lambda: browser.execute_script(width) > 100, 60))
        time.sleep(5)  # a few answers for the page to show
        browser.save_screenshot(f"{shown}-page.png")
        report.check("the page complains of nothing", console_errors(browser) == [], console_errors(browser))


def snapshot(base: str, kind: str, shown: Path) -> NDArray[np.int64]:
    """The middle of the picture, (h, w, 3), RGB, where the model looked; black if there is none."""
    data = ask(f"{base}/snapshot.jpg?overlay={kind}&width=640")
    Path(f"{shown}-{kind}.jpg").write_bytes(data)
    image = cv2.imdecode(np.frombuffer(data or b"-", np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        return np.zeros((1, 1, 3), np.int64)
    height, width = image.shape[:2]
    middle = image[height // 4 : 3 * height // 4, width // 2 - height // 4 : width // 2 + height // 4, ::-1]
    return np.asarray(middle, np.int64)


def is_drawn(base: str, kind: str, shown: Path, plain: NDArray[np.int64]) -> bool:
    """Whether the overlay changes the picture; a rollout does from the answer on that comes after the first request."""
    drawn = snapshot(base, kind, shown)
    return drawn.shape == plain.shape and bool(np.abs(drawn - plain).max() > 40)


def is_of_the_table(heat: NDArray[np.int64]) -> tuple[bool, str]:
    """Whether each pixel has a colour of the heat's table, and whether many of these are there; and the two figures."""
    colours = coloured(np.arange(256, dtype=np.uint8)[:, None])[:, 0].astype(np.int64)
    pixels = heat[::2, ::2].reshape(-1, 1, 3)
    apart = np.abs(pixels - colours).sum(axis=2)
    off, heats = float(apart.min(axis=1).mean()), len(np.unique(apart.argmin(axis=1)))
    return off < NEAR and heats >= HEATS_AT_LEAST, f"{off:.1f} levels off, {heats} of 256 colours"


def end(running: "subprocess.Popen[bytes]", port: int, report: Report) -> None:
    """As systemd would: a signal to the daemon itself, which runs below the shell that entered the root."""
    found = subprocess.run(["pgrep", "-f", f"vitcam run .*--port {port}"], capture_output=True, text=True, check=True)
    for pid in map(int, found.stdout.split()):
        if "qemu-aarch64" in str(Path(f"/proc/{pid}/exe").readlink()):
            os.kill(pid, signal.SIGTERM)
            break
    try:
        report.check("SIGTERM ends it well", running.wait(SLOW) == 0, running.returncode)
    except subprocess.TimeoutExpired:
        report.check("SIGTERM ends it at all", False)


def status(base: str) -> object:
    try:
        return get_json(f"{base}/api/state").get("status")
    except (OSError, ValueError):
        return None


def ask(url: str, body: bytes | None = None) -> bytes:
    """What it answers; empty with a line on why where it refuses."""
    request = urllib.request.Request(url, body, {"Content-Type": "image/jpeg"} if body else {})
    try:
        with urllib.request.urlopen(request, timeout=SLOW) as answer:
            return bytes(answer.read())
    except urllib.error.HTTPError as refusal:
        with refusal:
            print(f"     {url}: {refusal.code} {json.dumps(refusal.read().decode(errors='replace')[:300])}", flush=True)
        return b""


def streams(url: str) -> bool:
    """Whether two whole pictures come."""
    seen, deadline = b"", time.monotonic() + SLOW
    with urllib.request.urlopen(url, timeout=SLOW) as answer:
        while seen.count(b"\xff\xd9\r\n") < 2 and time.monotonic() < deadline:
            seen += answer.read1(1 << 16)
    return seen.count(b"\xff\xd9\r\n") >= 2
