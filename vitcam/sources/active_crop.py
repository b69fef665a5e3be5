"""The part of the picture that the model sees now. The page sets it, and the source reads it for every frame."""

from collections.abc import Callable

from vitcam.errors import UsageError
from vitcam.pictures.view import Region


class ActiveCrop:
    """The crop in force: one value that is replaced as a whole, so that any thread may read it.

    region           to begin with; None: the whole picture
    save             keeps a new one for the next start; returns why it will not be there then, "" if it will
    from_earlier_run  whether `region` was chosen on the page in an earlier run
    """

    def __init__(
        self,
        region: Region | None = None,
        save: Callable[[Region | None], str] = lambda _: "",
        from_earlier_run: bool = False,
    ) -> None:
        self._region = _or_none(region)
        self._save = save
        self._from_earlier_run = from_earlier_run

    @property
    def region(self) -> Region | None:
        return self._region

    @property
    def from_earlier_run(self) -> bool:
        """Whether the crop in force was chosen in an earlier run."""
        return self._from_earlier_run

    def with_region(self, region: Region | None) -> "ActiveCrop":
        """The same with another one to begin with."""
        return ActiveCrop(region, self._save)

    def become(self, other: "ActiveCrop") -> None:
        """Take over what another one was made with, as when the settings were read again."""
        self._save, self._from_earlier_run, self._region = other._save, other._from_earlier_run, other._region

    def replace(self, region: Region | None) -> str:
        """Set the crop from the next frame on; returns why it will not be kept for the next run, "" if it will.

        raises  UsageError where it does not work; the one before is in force again
        """
        before = self._region, self._from_earlier_run
        self._region, self._from_earlier_run = _or_none(region), False
        try:
            return self._save(self._region)
        except UsageError:
            self._region, self._from_earlier_run = before
            raise


def _or_none(region: Region | None) -> Region | None:
    return None if region is None or region.is_whole else region
