"""The process of one peer: builds its model, or serves it. What it says to its parent is one JSON object a line.

python -m tests.bench.peers.child build|serve PEER FOLDER MODEL THREADS
"""

import contextlib
import json
import os
import pkgutil
import sys
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from tests.bench.peers.catalogue import PEERS, Peer
from tests.bench.peers.material import Material
from tests.bench.peers.runners.session import Session

IDLE_S = 0.2  # before a turn: the peer that was measured last lets its threads go to sleep


def main(arguments: list[str]) -> None:
    """Do one thing; a failure is an answer, too."""
    action, name, folder, model, threads = arguments
    peer, material = PEERS[name], Material(Path(folder))
    with _channel() as out:
        try:
            if action == "build":
                _runner(peer, peer.build)(material, Path(model))
                _say(out, built=model)
            else:
                session = _runner(peer, peer.open)(Path(model), int(threads))
                _say(out, version=_version(peer.package))
                _serve(session, material, out)
        except Exception as error:  # whatever a peer throws is the reason in its row
            _say(out, error=_reason(error))
            raise


def _serve(session: Session, material: Material, out: TextIO) -> None:
    """Answer commands until the parent closes its end."""
    photos = [session.prepare(photo) for photo in material.asked_photos()]
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] == "answer":
            np.save(command["to"], np.stack([np.array(session.run(photo), np.float32) for photo in photos]))
            _say(out, answered=len(photos))
        else:
            _say(out, ms=_time(session, photos, command["warm_up"], command["count"]))


def _time(session: Session, photos: list[Any], warm_up: int, count: int) -> list[float]:
    """Milliseconds of `count` inferences, one photo after the other, after `warm_up` that are not counted."""
    time.sleep(IDLE_S)
    times = []
    for i in range(warm_up + count):
        photo = photos[i % len(photos)]
        start = time.perf_counter()
        session.run(photo)
        times.append((time.perf_counter() - start) * 1000)
    return times[warm_up:]


def _runner(peer: Peer, function: str) -> Any:
    return pkgutil.resolve_name(f"tests.bench.peers.runners.{peer.runner}:{function}")


def _version(package: str) -> str:
    try:
        return version(package).partition("+")[0]
    except PackageNotFoundError:
        return "of unknown version"


def _reason(error: Exception) -> str:
    first = (str(error).strip() or "no reason given").splitlines()[0]
    return first if type(error).__name__ == "Unavailable" else f"{type(error).__name__}: {first}"


def _say(out: TextIO, **what: Any) -> None:
    out.write(json.dumps(what) + "\n")
    out.flush()


@contextlib.contextmanager
def _channel() -> Iterator[TextIO]:
    """The real stdout; what the packages print goes to stderr from here on."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)
        yield out


if __name__ == "__main__":
    main(sys.argv[1:])
