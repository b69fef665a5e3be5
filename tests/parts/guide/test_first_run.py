"""Passwords and the end of the guide are kept in the state folder."""

from pathlib import Path

import pytest

from vitcam.access.credentials import Credentials
from vitcam.access.guard import Grant, Guard
from vitcam.access.password import load_password
from vitcam.access.tokens import Scope
from vitcam.errors import UsageError, VitcamError
from vitcam.parts.guide.first_run import FirstRun


def first_run(folder: Path | None, is_set_up: bool = False, is_fixed: bool = False) -> FirstRun:
    return FirstRun(folder, is_set_up, is_fixed)


def test_the_guide_is_offered_until_it_was_finished_once(tmp_path: Path) -> None:
    guide = first_run(tmp_path)
    offered = guide.is_open
    guide.finish()

    assert offered
    assert not guide.is_open
    assert not first_run(tmp_path).is_open


def test_a_run_whose_camera_is_configured_offers_no_guide(tmp_path: Path) -> None:
    assert not first_run(tmp_path, is_set_up=True).is_open
    assert not first_run(None).is_open


def test_a_guide_that_cannot_be_remembered_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(VitcamError, match="come again"):
        first_run(tmp_path / "file" / "state").finish()


def test_the_password_to_watch_gives_a_session_that_may_only_read(tmp_path: Path) -> None:
    guide = first_run(tmp_path)
    guide.set_password(Scope.CONTROL, "all of it, please")
    guide.set_password(Scope.READ, "only watching")
    kept = load_password(tmp_path)
    assert kept is not None
    guard = Guard(kept, tmp_path)

    scopes = [guard.scope_of(each) for each in ("all of it, please", "only watching", "something else")]
    session = guard.open_session(Scope.READ)

    assert scopes == [Scope.CONTROL, Scope.READ, None]
    assert guard.granted(Credentials(sessions=(session,))) == Grant(Scope.READ, "session")
    assert guard.proved(Credentials("vitcam", "only watching")) == Grant(Scope.READ, "password")
    guide.set_password(Scope.READ, None)
    assert guard.refresh()
    assert guard.granted(Credentials(sessions=(session,))) is None
    assert guard.proved(Credentials("vitcam", "only watching")) is None
    assert guard.proved(Credentials("vitcam", "all of it, please")) == Grant(Scope.CONTROL, "password")
    assert guide.passwords == {"control": True, "read": False}


@pytest.mark.parametrize(
    ("scope", "password"), [(Scope.READ, "short"), (Scope.CONTROL, None), (Scope.READ, "taken by all")]
)
def test_a_password_that_is_not_allowed_is_refused(tmp_path: Path, scope: Scope, password: str | None) -> None:
    guide = first_run(tmp_path)
    guide.set_password(Scope.CONTROL, "taken by all")
    with pytest.raises(UsageError, match="password"):
        guide.set_password(scope, password)
    assert guide.passwords == {"control": True, "read": False}


def test_a_password_of_the_environment_is_not_changed(tmp_path: Path) -> None:
    guide = first_run(tmp_path, is_fixed=True)
    with pytest.raises(UsageError, match="VITCAM_WEB_PASSWORD"):
        guide.set_password(Scope.CONTROL, "another one here")
    assert guide.passwords["control"]


def test_what_opens_the_page_to_the_network_fits_how_vitcam_was_started(tmp_path: Path) -> None:
    by_hand, service = FirstRun(tmp_path, False, False), FirstRun(tmp_path, False, False, is_service=True)

    assert by_hand.network_command.endswith("vitcam run --host 0.0.0.0")
    assert service.network_command == "sudo vitcam service install --lan"
