"""What a first run sets up beside the settings: passwords, and that the guide has been seen."""

import sys
from pathlib import Path

from vitcam.access.password import (
    VARIABLE,
    PasswordHash,
    check_password,
    delete_password,
    load_password,
    password_file,
    save_password,
)
from vitcam.access.tokens import Scope
from vitcam.daemon.run import Run
from vitcam.errors import ConfigError, UsageError, VitcamError
from vitcam.folders import state_folder
from vitcam.parts.guide import LOOKS
from vitcam.run.ending import Ending
from vitcam.run.kinds import Runs
from vitcam.storage.files import write_atomically
from vitcam.threads.worker import WatchedExecutor

_FILE = "guide_seen"
_PROGRAM = "vitcam"


class FirstRun(Runs):
    """Any thread may call it; every method that is asked for on the page waits for the disk.

    folder    the state folder; None: there is none, so nothing can be kept
    is_set_up whether the configuration names a camera
    is_fixed  the password was given for this run, so the one in the folder does not count
    is_service systemd runs vitcam
    """

    def __init__(self, folder: Path | None, is_set_up: bool, is_fixed: bool, is_service: bool = False) -> None:
        self._folder = folder
        self.is_service = is_service
        self._is_fixed = is_fixed
        self.cameras = WatchedExecutor("cameras", LOOKS)
        """Looks for cameras, and takes pictures with them."""
        self.is_open = folder is not None and not is_set_up and not (folder / _FILE).exists()
        """Whether the page offers the guide by itself."""

    @property
    def workers(self) -> tuple[WatchedExecutor, ...]:
        return (self.cameras,)

    def start(self) -> None:
        """Nothing: its thread begins with the first task."""

    def stop(self, ending: Ending) -> None:
        """Look for no more cameras. Does not wait for those that are looked for."""
        self.cameras.shutdown(wait=False, cancel_futures=True)

    def finish(self) -> None:
        """The guide is not offered by itself any more. Raises VitcamError if that cannot be kept."""
        self.is_open = False
        if self._folder is None:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self._folder / _FILE, "")
        except OSError as error:
            raise VitcamError(
                f"the guide will come again: {self._folder} cannot be written: {error.strerror}"
            ) from error

    @property
    def network_command(self) -> str:
        """What opens the page to the network, as it is typed where this run was started."""
        if self.is_service:
            return "sudo vitcam service install --lan"
        started = sys.argv[0]
        return f"{started if Path(started).name == _PROGRAM else _PROGRAM} run --host 0.0.0.0"

    @property
    def passwords(self) -> dict[str, bool]:
        """Whether there is one for each scope."""
        return {scope.value: self._has(scope) for scope in Scope}

    def set_password(self, scope: Scope, password: str | None) -> None:
        """Keep the hash of a new one, or for `READ` none.

        raises  UsageError for a password that is not allowed; VitcamError if it cannot be kept
        """
        if self._is_fixed and scope is Scope.CONTROL:
            raise UsageError("the password of this run is set in VITCAM_WEB_PASSWORD; change it there")
        if self._folder is None:
            raise UsageError("there is no folder to keep a password in; set STATE_DIRECTORY or HOME")
        try:
            if password is None and scope is Scope.READ:
                return delete_password(self._folder, scope)
            _save(self._folder, scope, password or "")
        except OSError as error:
            path = password_file(self._folder, scope)
            raise VitcamError(f"{path} cannot be written: {error.strerror}") from error

    def _has(self, scope: Scope) -> bool:
        if self._is_fixed and scope is Scope.CONTROL:
            return True
        try:
            return self._folder is not None and load_password(self._folder, scope) is not None
        except ConfigError:
            return False


def _save(folder: Path, scope: Scope, password: str) -> None:
    """Raises UsageError for a password that is not allowed; OSError."""
    check_password(password)
    other = load_password(folder, next(each for each in Scope if each is not scope))
    if other is not None and other.fits(password):
        raise UsageError("the two passwords are the same; take another one, so that they allow different things")
    folder.mkdir(parents=True, exist_ok=True)
    save_password(folder, PasswordHash.of_password(password), scope)


def make(run: Run) -> list[object]:
    """In every run: the page may be opened at any time."""
    return [FirstRun(state_folder(run.environ), run.is_set_up, VARIABLE in run.environ, "NOTIFY_SOCKET" in run.environ)]
