"""Who may do what, while the files of passwords and tokens change."""

from pathlib import Path

import pytest

from vitcam.access import guard as module
from vitcam.access.credentials import Credentials
from vitcam.access.guard import Guard
from vitcam.access.password import PasswordHash
from vitcam.access.tokens import Scope, create_token, revoke_token
from vitcam.errors import ConfigError


def test_tokens_that_could_not_be_read_for_a_moment_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    token = Credentials(token=create_token(tmp_path, "phone", Scope.READ))
    guard = Guard(PasswordHash.of_password("a password"), tmp_path, is_fixed=True)
    before = guard.granted(token)
    revoke_token(tmp_path, "phone")
    with monkeypatch.context() as broken:
        broken.setattr(module, "load_tokens", _fail)
        read = [guard.refresh(), guard.refresh()]
        meanwhile = guard.granted(token)

    assert before == meanwhile is not None
    assert read == [False, False]
    assert len(caplog.records) == 1
    assert guard.refresh()
    assert guard.granted(token) is None


def _fail(folder: Path) -> None:
    raise ConfigError(f"{folder} cannot be read")
