"""Changes that the disk did not take."""

from pathlib import Path

from vitcam.storage.unsaved import NotWritten, Unsaved

FULL = NotWritten.of(Path("names.toml"), OSError(28, "No space left on device"))


class Disk:
    """Takes a change once there is room, or never."""

    def __init__(self, reason: str = FULL) -> None:
        self.reason = reason
        self.saved: list[str] = []

    def save(self, value: str) -> str:
        if not self.reason:
            self.saved.append(value)
        return self.reason


def test_a_change_that_could_not_be_written_is_saved_once_there_is_room() -> None:
    disk, unsaved = Disk(), Unsaved()
    reason = unsaved.keep("names", lambda: disk.save("Mia"))
    unsaved.try_again(at_once=True)
    waiting, disk.reason = dict(unsaved.reasons), ""
    unsaved.try_again(at_once=True)
    unsaved.try_again(at_once=True)

    assert reason == "names.toml cannot be written: No space left on device"
    assert waiting == {"names": reason}
    assert unsaved.reasons == {}
    assert disk.saved == ["Mia"]


def test_the_newest_change_of_a_kind_is_the_one_that_is_saved() -> None:
    disk, unsaved = Disk(), Unsaved()
    unsaved.keep("names", lambda: disk.save("Mia"))
    unsaved.keep("alerts", lambda: disk.save("bell"))
    unsaved.keep("names", lambda: disk.save("Rex"))
    disk.reason = ""
    unsaved.keep("names", lambda: disk.save("Tom"))
    unsaved.try_again(at_once=True)

    assert disk.saved == ["Tom", "bell"]


def test_what_can_never_be_kept_does_not_wait() -> None:
    disk, unsaved = Disk("zones and masks are kept for cameras only"), Unsaved()
    unsaved.keep("zones", lambda: disk.save("door"))

    assert unsaved.reasons == {}


def test_a_full_disk_is_asked_again_after_some_seconds_and_not_at_every_turn() -> None:
    disk, unsaved = Disk(), Unsaved()
    unsaved.keep("names", lambda: disk.save("Mia"))
    disk.reason = ""
    unsaved.try_again()

    assert disk.saved == []
