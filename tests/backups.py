"""Folders as a vitcam has them, backups of them, and archives that no vitcam wrote."""

import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.command import Result, vitcam

CONTENT = {
    "config/config.toml": b"[web]\nport = 8421\n",
    "state/crops.json": b'{"picamera": "0,0,0.5,0.5"}',
    "state/password": b"scrypt$16384$8$5$c2FsdA==$a2V5\n",
    "state/tokens.json": b"[]\n",
    "state/datasets/desk/cup/1.jpg": b"\xff\xd8" + bytes(70_000),
    "data/models/desk.tflite": bytes(range(256)) * 300,
}


@dataclass(frozen=True)
class Machine:
    """One machine's folders, all below one."""

    root: Path

    @property
    def options(self) -> list[str]:
        """That name them on a command line."""
        return [f"--{name}={self.root / name}" for name in ("config", "state", "data")]

    def backup(self, file: Path, *options: str) -> Result:
        """Run `vitcam backup`."""
        return vitcam("backup", str(file), *options, *self.options)

    def restore(self, file: Path, *options: str) -> Result:
        """Run `vitcam restore`."""
        return vitcam("restore", str(file), *options, *self.options)

    def files(self) -> dict[str, bytes]:
        """Everything that is there but the lock of the state folder."""
        found = (path for path in self.root.rglob("*") if path.is_file() and path != self.root / "state" / "lock")
        return {str(path.relative_to(self.root)): path.read_bytes() for path in sorted(found)}


def machine(root: Path, content: Mapping[str, bytes] = CONTENT) -> Machine:
    """A machine with these files."""
    for name, data in content.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return Machine(root)


def in_place(files: Mapping[str, bytes]) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The files of a machine that are in use, and those that a restore has kept, by the names that they had."""
    used = {name: data for name, data in files.items() if "/before-restore-" not in name}
    kept = {f"{name.split('/')[0]}/{name.split('/', 2)[2]}": files[name] for name in files.keys() - used.keys()}
    return used, kept


def manifest(content: Mapping[str, bytes] = CONTENT, **others: Any) -> dict[str, Any]:
    """What a backup with these files says about itself, and what the test wants it to say."""
    files = [
        {"name": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "mode": 0o600}
        for name, data in content.items()
    ]
    record = {"vitcam_backup": "1.0", "vitcam": "0.1.0", "date": "2026-11-24T07:00:00+00:00", "host": "pi"}
    return record | {"service": False, "files": files} | others


def archive(
    path: Path,
    record: Any,
    content: Mapping[str, bytes] = CONTENT,
    change: Callable[[tarfile.TarInfo], None] = lambda _: None,
) -> Path:
    """Write an archive by hand.

    record   the manifest: JSON, or bytes as they are
    content  what follows it, in this order
    change   is given the header of every file
    """
    head = record if isinstance(record, bytes) else json.dumps(record).encode()
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in {"vitcam-backup.json": head, **content}.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            if name != "vitcam-backup.json":
                change(entry)
            tar.addfile(entry, io.BytesIO(data))
    return path
