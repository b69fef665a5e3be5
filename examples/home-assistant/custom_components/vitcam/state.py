"""What a camera says of itself, in frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

CAMERA_MOVED = "camera moved"
"""The label of the problem that lasts until somebody turns the camera back, or lets it learn the new view."""


@dataclass(frozen=True, slots=True)
class Watched:
    """Something that there may be a presence of: a zone, a label, or both; without either, anything."""

    key: str
    name: str
    label: str
    zone: str | None


@dataclass(frozen=True, slots=True)
class CameraState:
    """The data of a message `state`."""

    id: str
    """As MQTT has it, too."""
    serial: str
    """Tells cameras of the same id apart, such as copies of a card."""
    name: str
    version: str
    status: str
    reason: str
    problem: str | None
    shown: Mapping[str, Any] | None
    present: tuple[Mapping[str, Any], ...]
    watched: tuple[Watched, ...]
    presence: Mapping[str, bool]
    settable: frozenset[str]
    paused: bool
    model: str
    threshold: float
    disk: str
    record: Mapping[str, Any]
    """All of it, as it came."""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """Raises LookupError, TypeError or ValueError where it is not the state of a camera."""
        camera, controls = record["camera"], record["controls"]
        return cls(
            id=str(camera["id"]),
            serial=str(camera["serial"]),
            name=str(camera["name"]),
            version=str(record["version"]),
            status=str(record["status"]),
            reason=str(record["reason"]),
            problem=record["problem"],
            shown=record["shown"],
            present=tuple(record["present"]),
            watched=tuple(
                Watched(*(each[key] for key in ("key", "name", "label", "zone"))) for each in record["watched"]
            ),
            presence=record["presence"],
            settable=frozenset(record["settable"]),
            paused=bool(controls["paused"]),
            model=str(controls["model"]),
            threshold=float(controls["threshold"]),
            disk=str(record["disk"]),
            record=record,
        )

    @property
    def unique_id(self) -> str:
        """What no other camera has."""
        return unique_id_of(self.id, self.serial)

    @property
    def sees(self) -> bool:
        """Whether it knows what is there."""
        return self.status in ("ok", "degraded")

    @property
    def has_moved(self) -> bool:
        """Whether it points elsewhere than it used to."""
        return any(each["kind"] == "problem" and each["label"] == CAMERA_MOVED for each in self.present)


def unique_id_of(camera_id: str, serial: str) -> str:
    """Of a camera, by what it announces."""
    return f"{camera_id}_{serial}"
