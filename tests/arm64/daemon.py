"""`vitcam run` in a root, asked from outside as a browser and a script would, then ended."""

import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import cv2
import numpy as np

from tests.arm64.root import Root
from tests.daemon import free_port, get_json
from tests.integration.web.browser import console_errors, open_browser
from tests.pivm.report import Report, until

SLOW = 1200
"""Seconds for what takes a few on a Pi; emulated beside other work it may take minutes."""
COLOURS_AT_LEAST = 100
"""In a picture of warm and cold spots; a grey or dark one has a handful."""


def daemon(root: Root, photo: Path, shown: Path, report: Report) -> None:
    """Look at everything it serves.

    photo  one that is sent to it
    shown  where its pictures are kept; their names begin with this path's own
    """
    port = free_port()
    base, log = f"http://127.0.0.1:{port}", Path(f"{shown}-daemon.log")
    running = root.start(f"vitcam run --source demo --loop --port {port} --fps 2 --log json --set model.threads=1", log)
    try:
        ready = until(lambda: running.poll() is not None or status(base) == "ok", SLOW) and running.poll() is None
        report.check("the daemon classifies the demo", ready, log.read_text()[-1500:] if not ready else "")
        if ready:
            look(base, photo, shown, report)
            end(running, port, report)
    finally:
        running.kill()
        running.wait()
    report.check("the daemon wrote no traceback", "Traceback" not in log.read_text(), log.read_text()[-1500:])


def look(base: str, photo: Path, shown: Path, report: Report) -> None:
    for kind in ("none", "evidence", "attention", "rollout", "heat", "grid"):
        picture = ask(f"{base}/snapshot.jpg?overlay={kind}&width=640")
        Path(f"{shown}-{kind}.jpg").write_bytes(picture)
        image = cv2.imdecode(np.frombuffer(picture or b"-", np.uint8), cv2.IMREAD_COLOR)
        report.check(f"the snapshot with overlay={kind} is a picture", image is not None)
        if kind == "heat" and image is not None:
            report.check("heat goes from dark to yellow", *is_warm_and_cold(image))
    report.check("the stream gives pictures", streams(f"{base}/stream?overlay=heat&width=320"))
    answer = ask(f"{base}/api/classify", photo.read_bytes())
    report.check("a photo that is sent is answered", b'"top"' in answer, answer[:300])
    with tempfile.TemporaryDirectory() as profile, open_browser(Path(profile), 1280, 800) as browser:
        browser.get(base)
        width = "return document.getElementById('picture').naturalWidth"
        report.check("the page shows the picture", until(lambda: browser.execute_script(width) > 100, 60))
        time.sleep(5)  # a few answers for the page to show
        browser.save_screenshot(f"{shown}-page.png")
        report.check("the page complains of nothing", console_errors(browser) == [], console_errors(browser))


def is_warm_and_cold(bgr: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]") -> tuple[bool, int]:
    """Whether it has the colour table's yellow and its dark end, and how many colours it has at all."""
    blue, green, red = (bgr[..., n].astype(int) for n in range(3))
    yellow = ((red > 200) & (green > 150) & (blue < 180)).any()
    colours = len(np.unique(bgr.reshape(-1, 3) // 8, axis=0))
    return bool(yellow and (bgr.max(axis=2) < 40).any() and colours >= COLOURS_AT_LEAST), colours


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
