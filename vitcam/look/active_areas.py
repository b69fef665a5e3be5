"""Zones and masks in force. The page changes them; sources, the classifying thread and the publisher read them."""

import logging
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace

from vitcam.errors import UsageError, VitcamError
from vitcam.look.areas import NO_AREAS, Areas
from vitcam.run.kinds import HoldsPixels

log = logging.getLogger(__name__)


def not_kept(_: Areas) -> str:
    """Default of `save`: nothing is kept, and nobody is told."""
    return ""


class ActiveAreas:
    """One value that is replaced as a whole, so that any thread may read it.

    areas    to begin with
    save     keeps new ones for the next start; returns why they will not be there then, "" if they will
    origin   what set `areas`: `page`, or the configuration
    unknown  why nobody knows which masks there were, as one sentence: there is no picture then, until some are set
    """

    def __init__(
        self,
        areas: Areas = NO_AREAS,
        save: Callable[[Areas], str] = not_kept,
        origin: str = "configuration",
        unknown: str = "",
    ) -> None:
        self.unknown = unknown
        self.warning = ""
        """What may still show what the newest masks hide, as one sentence; empty: nothing does."""
        self._in_force = (areas, origin)
        self._save = save
        self._changing = threading.RLock()
        self._holders: tuple[HoldsPixels, ...] = ()

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
        return ActiveAreas(areas, self._save, self._in_force[1], self.unknown)

    def attach(self, *holders: HoldsPixels) -> None:
        """Add what drops its pictures once masks were added. Those nearer to the source come first.

        Call it before anything runs.
        """
        self._holders += holders

    def become(self, other: "ActiveAreas") -> None:
        """Take over what another one was made with, as when the settings were read again."""
        with self._changing:
            self._save, self.unknown = other._save, other.unknown
            self._put_in_force(*other._in_force)

    def replace(self, areas: Areas) -> str:
        """Set them from the next frame on; returns why they will not be kept for the next run, "" if they will.

        When it returns, no picture without the new masks is left in memory, nor one that is still to be stored.

        Where something that holds pictures did not let go of them, `warning` says so.

        raises  UsageError where the zones do not work: those before are in force again, with the new masks
        """
        with self._changing:
            before = self._in_force
            try:
                self._put_in_force(areas, "page")
                self.warning = ""
            except VitcamError as error:
                self.warning = f"pictures from before the new masks may still be shown: {error}"
                log.error("%s", self.warning)
            self.unknown = ""
            return self._save_or_undo(areas, *before)

    def _save_or_undo(self, areas: Areas, before: Areas, origin: str) -> str:
        try:
            return self._save(areas)
        except UsageError:
            self._put_in_force(replace(before, masks=areas.masks), origin)
            raise

    def _put_in_force(self, areas: Areas, origin: str) -> None:
        before, self._in_force = self._in_force[0], (areas, origin)
        if set(areas.masks) <= set(before.masks):
            return
        with ExitStack() as each:  # calls all of them, whatever one raises; the last one first
            for holder in reversed(self._holders):
                each.callback(holder.drop_pixels)
