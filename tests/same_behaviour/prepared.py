"""The home of a user of vitcam 0.1.0: history, password, tokens, a session, photos. Only its files count here.

They are written as 0.1.0 wrote them, without any code of vitcam: what reads them must read them as before.
"""

import hashlib
import hmac
import json
import os
import shutil
import sqlite3
import time
from base64 import b64encode
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

SCHEMA = Path(__file__).with_name("history-0.1.0.sql")
ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "models" / "golden"
START_MS = 1_767_225_600_000  # 2026-01-01, 00:00 UTC
_HOUR_MS, _LASTED_MS = 3_600_000, 4_000
_DAY = "2026-01-01"
EVENTS = 12
PASSWORD = "correct horse"
TOKENS = {"read": "vitcam_reads", "control": "vitcam_controls"}
SESSION = "s" * 43
_SESSION_LASTS_S = 80 * 86_400
_MTIME = 1_767_225_600


def event_id(number: int) -> str:
    """Of the events that are prepared, from 1."""
    return f"01{number:024}"


def make(home: Path) -> None:
    """Fill an empty folder."""
    state = home / "state" / "vitcam"
    state.mkdir(parents=True, mode=0o750)
    _history(state)
    _access(state)
    shutil.copytree(GOLDEN, home / "golden")
    for folder in ("empty", "out"):
        (home / folder).mkdir()
    for name, content in {
        "notes.txt": b"no picture\n",
        "broken.jpg": b"\xff\xd8\xff\xe0 and no more",
        "broken.tflite": b"no model at all, but long enough to be looked at as one",
        "broken.toml": b"[web\nport = 1\n",
        "good.toml": b'[web]\nport = 8421\n[zones.door]\nrect = "0,0,0.5,1"\n[[on]]\nlabel = "cat"\ngpio = 17\n',
        "rules.toml": b'[[on]]\nlabel = "cat"\ncommand = ["true"]\n',
        "unknown.toml": b"[web]\nprot = 1\n",
        "empty.txt": b"",
        "short.txt": b"short\n",
        "password.txt": b"another horse\n",
        "labels.txt": b"one\ntwo\n",
        "broken.tar": b"no archive",
        "broken.zip": b"no bundle",
    }.items():
        (home / name).write_bytes(content)


def _history(state: Path) -> None:
    clip = bytes(range(256)) * 12
    with closing(sqlite3.connect(state / "events.db")) as connection:
        connection.executescript(SCHEMA.read_text("utf-8"))
        connection.execute("INSERT INTO models VALUES (1, 'everyday', ?)", ("ab" * 32,))
        for number in range(1, EVENTS + 1):
            row = _row(number, len(clip))
            names = ", ".join(row)
            marks = ", ".join(f":{name}" for name in row)
            connection.execute(f"INSERT INTO events ({names}) VALUES ({marks})", row)
            _file(state, row["frame"], (GOLDEN / ("coffee.jpg" if number % 2 else "cat.jpg")).read_bytes())
            _file(state, row["clip"], clip)
        connection.commit()


def _row(number: int, clip_bytes: int) -> dict[str, Any]:
    """Two labels in two zones, an hour apart. The third last one lasts; some have no picture, and some have a clip."""
    label, zone = ("cup", "desk") if number % 2 else ("cat", "door")
    start_ms = START_MS + number * _HOUR_MS
    has_picture, has_clip, shares = number % 5 != 0, number % 4 == 1, number == 8
    sight = {
        "top": [[label, 0.9], ["bowl" if number % 2 else "dog", 0.05]],
        "size": [512, 512] if has_picture else [0, 0],
        "crop": [32, 32, 448, 448] if has_picture else [0, 0, 0, 0],
        "grid": [14, 14] if has_picture else None,
        "familiarity": 0.75,
    }
    evidence = (np.arange(196, dtype="<f2") / 196 - 0.25).astype("<f2").tobytes()
    own_picture = has_picture and not shares
    return {
        "id": event_id(number),
        "kind": "unknown" if number == 7 else "problem" if number == 11 else "seen",
        "label": "unknown" if number == 7 else "covered" if number == 11 else label,
        "corrected": "mug" if number == 3 else None,
        "zone": zone if number < 9 else None,
        "camera": "front",
        "start_ms": start_ms,
        "end_ms": None if number == EVENTS - 2 else start_ms + _LASTED_MS,
        "seen_ms": start_ms + _LASTED_MS,
        "p": 0.5 + number / 40,
        "peak": 0.55 + number / 40,
        "group_name": "pet" if number == 2 else None,
        "group_p": 0.8 if number == 2 else None,
        "model": 1,
        "favourite": int(number == 4),
        "frame_bytes": 1000 if own_picture else 0,
        "clip_bytes": clip_bytes if has_clip else 0,
        "frame": f"frames/{_DAY}/{event_id(number)}.jpg" if own_picture else None,
        "clip": f"clips/{_DAY}/{event_id(number)}.mp4" if has_clip else None,
        "actions": json.dumps([_ACTION] if number == 6 else []),
        "sight": json.dumps(sight),
        "curve": np.array([(0, 30_000), (500, 60_000)], [("ms", "<u4"), ("p", "<u2")]).tobytes(),
        "evidence": evidence if own_picture else None,
        "shared": 2 if shares else None,
        "shares": int(number == 2),
    }


_ACTION = {"rule": "lamp", "kind": "command", "status": "failed", "detail": "exit code 3", "time": f"{_DAY}T06:00:01Z"}


def _file(state: Path, name: str | None, content: bytes) -> None:
    if name is not None:
        path = state / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (_MTIME, _MTIME))


def _access(state: Path) -> None:
    """Password, tokens and a session. The cost of the hash is small: what is compared is no speed."""
    salt = b"0123456789abcdef"
    key = hashlib.scrypt(PASSWORD.encode(), salt=salt, n=2, r=1, p=1, dklen=32)
    password = f"scrypt$2$1$1${b64encode(salt).decode()}${b64encode(key).decode()}"
    tokens = [
        {
            "name": f"may {scope}",
            "scope": scope,
            "created": "2026-01-01T00:00:00+00:00",
            "sha256": hashlib.sha256(token.encode()).hexdigest(),
        }
        for scope, token in TOKENS.items()
    ]
    session = hmac.new(password.encode(), SESSION.encode(), hashlib.sha256).hexdigest()
    for name, content in {
        "password": f"{password}\n",
        "tokens.json": json.dumps(tokens),
        "sessions.json": json.dumps({session: time.time() + _SESSION_LASTS_S}),
    }.items():
        path = state / name
        path.write_text(content, "utf-8")
        path.chmod(0o600)
