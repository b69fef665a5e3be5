"""Whether the container of examples/container/ does what its page says; as root, with podman and mmdebstrap.

    python -m tests.container [--base IMAGE]    prints a line for each check; exit status 1 if one fails

Without --base a Debian trixie is made by mmdebstrap, as no registry is asked. On a machine that is a container itself,
BUILD_OPTIONS="--network host --isolation chroot" and CONTAINERS_CONF=FILE say what podman may not do there.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.eventually import eventually
from tests.http_camera import keeps_sending, part, server
from tests.secured import PASSWORD, basic

ROOT = Path(__file__).parents[1]
BASE, IMAGE, NAME, VOLUME = "localhost/vitcam-base", "localhost/vitcam", "vitcam-test", "vitcam-test-state"
_PORT, _MOST_MB, _READY_S, _END_S = 8420, 600, 20, 10


def podman(*words: str, quiet: bool = True) -> str:
    """What it prints. Raises CalledProcessError where it fails."""
    run = subprocess.run(["podman", *words], cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE if quiet else None)
    return (run.stdout or "").strip()


def make_base() -> str:
    """A Debian trixie without what a container does not need."""
    left_out = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("doc", "man", "locale")]
    with TemporaryDirectory() as work:
        archive = Path(work, "base.tar")
        clean = '--customize-hook=rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*'
        subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=minbase", *left_out, clean, "trixie", str(archive)], check=True
        )
        podman("import", str(archive), BASE)
    return BASE


class Running:
    """A container that runs."""

    def __init__(self, camera: str) -> None:
        settings = {"VITCAM_WEB_PASSWORD": PASSWORD, "VITCAM_CAMERA_SOURCE": camera, "TZ": "Europe/Berlin"}
        given = [word for name, value in settings.items() for word in ("--env", f"{name}={value}")]
        own = ["--network", "host"]  # of this check: the camera is on this machine
        safe = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "all", "--security-opt", "no-new-privileges"]
        self.began_s = time.monotonic()
        podman("run", "--detach", "--name", NAME, "--volume", f"{VOLUME}:/var/lib/vitcam", *own, *safe, *given, IMAGE)

    def ready_s(self) -> float:
        """When it classifies, since it was started."""
        eventually(lambda: self._ask("/readyz"), within_s=10 * _READY_S)
        return time.monotonic() - self.began_s

    def events(self) -> list[dict[str, Any]]:
        """The newest ones."""
        return list(json.loads(self._ask("/api/events?limit=50") or '{"events": []}')["events"])

    def end_s(self) -> float:
        """How long it takes to end once it is asked."""
        began_s = time.monotonic()
        podman("stop", "--time", str(3 * _END_S), NAME)
        return time.monotonic() - began_s

    def _ask(self, path: str) -> bytes:
        """The body; empty where there is none yet."""
        request = urllib.request.Request(f"http://127.0.0.1:{_PORT}{path}", headers=basic())
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return bytes(answer.read())
        except OSError:
            return b""


@contextmanager
def running(camera: str) -> Iterator[Running]:
    """One that is there for the time of the block."""
    try:
        yield Running(camera)
    except BaseException:
        sys.stderr.write(subprocess.run(["podman", "logs", NAME], capture_output=True, text=True).stdout[-4000:])
        raise
    finally:
        subprocess.run(["podman", "rm", "--force", NAME], capture_output=True)


def check(say: Callable[[str, bool, str], None]) -> None:
    """Run the image twice with the same volume. say(what, whether it holds, the figure)."""
    size_mb = int(podman("image", "inspect", "--format", "{{.Size}}", IMAGE)) / 1e6
    say(f"it takes {_MOST_MB} MB at most, unpacked", size_mb <= _MOST_MB, f"{size_mb:.0f} MB")
    picture = (ROOT / "models/golden/dog.jpg").read_bytes()
    with server(keeps_sending(repeat(part(picture)), 0.1)) as port:
        camera = f"http://127.0.0.1:{port}/"
        with running(camera) as first:
            ready_s = first.ready_s()
            say(f"it is ready within {_READY_S} s", ready_s <= _READY_S, f"{ready_s:.1f} s")
            user = podman("exec", NAME, "id", "--user")
            say("it runs as user 1000", user == "1000", user)
            january = podman("exec", NAME, "date", "--date", "@1767225600", "+%z")
            say("TZ is the time zone", january == "+0100", january)
            touched = subprocess.run(["podman", "exec", NAME, "touch", "/usr/lib/vitcam/x"], capture_output=True)
            say("nothing can be written beside its state", touched.returncode != 0, "")
            health = subprocess.run(["podman", "healthcheck", "run", NAME], capture_output=True)
            say("its health check is content", health.returncode == 0, "")
            before = eventually(first.events, within_s=60)
            say("a network camera is classified", bool(before), str(before[0].get("label")))
            end_s = first.end_s()
            say(f"SIGTERM ends it within {_END_S} s", end_s <= _END_S, f"{end_s:.1f} s")
        with running(camera) as second:
            second.ready_s()
            kept = {event["id"] for event in second.events()}
            say(
                "the history is there after a restart", {event["id"] for event in before} <= kept, f"{len(kept)} events"
            )
            second.end_s()


def main() -> int:
    """Build the image, and check it."""
    options = argparse.ArgumentParser(prog="python -m tests.container")
    options.add_argument("--base", default="")
    base = options.parse_args().base or make_base()
    podman("build", "--build-arg", f"BASE={base}", "--file", "examples/container/Containerfile", "--tag", IMAGE,
           "--format", "docker", *os.environ.get("BUILD_OPTIONS", "").split(), ".", quiet=False)  # fmt: skip
    failed = []

    def say(what: str, holds: bool, figure: str) -> None:
        print("ok  " if holds else "FAIL", what, f"({figure})" if figure else "", flush=True)
        if not holds:
            failed.append(what)

    try:
        check(say)
    finally:
        subprocess.run(["podman", "volume", "rm", "--force", VOLUME], capture_output=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
