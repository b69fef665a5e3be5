"""What tells a camera from all others of a network."""

import hashlib
import re
import socket
from dataclasses import dataclass
from pathlib import Path

from vitcam.config.settings import Settings
from vitcam.machine import Machine
from vitcam.parts import PARTS
from vitcam.run.part import load_each
from vitcam.text import slug_of

_SERVICE = "vitcam-"  # begins the state folder of one service of several
_PRIVATE = "/var/lib/private/"  # where systemd keeps the folders that it shows as /var/lib/…


@dataclass(frozen=True, slots=True)
class Identity:
    """A camera, as programs of the household know it."""

    id: str
    """Made of the name of the camera: the same on another card and another machine."""
    serial: str
    """Tells cameras with the same `id` apart, such as those that run from copies of one card."""
    name: str
    """For people."""

    @classmethod
    def of(cls, settings: Settings, folder: Path | None, machine: Machine) -> "Identity":
        """The identity of the camera that has this state folder."""
        called = next(filter(None, (name(settings) for name in load_each(part.called for part in PARTS))), "")
        service = folder.name.removeprefix(_SERVICE) if folder and folder.name.startswith(_SERVICE) else ""
        place = f"{machine.hardware_id}\n{folder}".replace(_PRIVATE, "/var/lib/")
        serial = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:8]
        return cls(device_id(called or host_name()), serial, called or service or host_name())


def device_id(name: str) -> str:
    """What tells a camera of this name from the other devices of a household."""
    return f"vitcam_{slug_of(name)}"


def host_name() -> str:
    """The name of this machine in letters, digits, `_` and `-`."""
    host = re.sub(r"[^A-Za-z0-9_-]+", "-", socket.gethostname().partition(".")[0]).strip("-")
    return host[:64] or "camera"
