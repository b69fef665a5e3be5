"""Zones and masks in force. The page changes them; sources, the classifying thread and the publisher read them."""

from collections.abc import Callable

from vitcam.zones.areas import NO_AREAS, Areas


def not_kept(_: Areas) -> str:
    """Default of `save`: nothing is kept, and nobody is told."""
    return ""


class ActiveAreas:
    """One value that is replaced as a whole, so that any thread may read it.

    areas   to begin with
    save    keeps new ones for the next start; returns why they will not be there then, "" if they will
    origin  what set `areas`: `page`, or the configuration
    """

    def __init__(
        self, areas: Areas = NO_AREAS, save: Callable[[Areas], str] = not_kept, origin: str = "configuration"
    ) -> None:
        self._in_force = (areas, origin)
        self._save = save

    @property
    def areas(self) -> Areas:
        """The zones and masks in force."""
        return self._in_force[0]

    @property
    def in_force(self) -> tuple[Areas, str]:
        """The zones and masks in force, and what set them."""
        return self._in_force

    def with_areas(self, areas: Areas) -> "ActiveAreas":
        """The same with other zones and masks to begin with."""
        return ActiveAreas(areas, self._save, self._in_force[1])

    def become(self, other: "ActiveAreas") -> None:
        """Take over what another one was made with, as when the settings were read again."""
        self._save, self._in_force = other._save, other._in_force

    def replace(self, areas: Areas) -> str:
        """Set them from the next frame on; returns why they will not be kept for the next run, "" if they will."""
        self._in_force = (areas, "page")
        return self._save(areas)
