"""Passwords: what is kept of them, what is refused, and files that hold something else."""

import stat
from pathlib import Path

import pytest

from tests.secured import quick_hash
from vitcam.access.password import (
    PasswordHash,
    check_password,
    load_password,
    new_password,
    password_file,
    save_password,
)
from vitcam.errors import ConfigError, UsageError


def test_a_hash_fits_its_password_alone_and_two_hashes_of_it_differ() -> None:
    one, two = PasswordHash.of_password("correct horse"), PasswordHash.of_password("correct horse")

    assert one.fits("correct horse")
    assert not one.fits("correct horsf")
    assert not one.fits("")
    assert one.key != two.key


def test_the_cost_of_a_guess_is_that_of_owasps_setting() -> None:
    kept = PasswordHash.of_password("correct horse")

    assert (kept.cost, kept.block, kept.lanes) == (2**14, 8, 5)


def test_what_is_kept_is_read_again_as_it_was(tmp_path: Path) -> None:
    kept = quick_hash("ünïcode und Leerzeichen")
    save_password(tmp_path / "new" / "folder", kept)
    path = password_file(tmp_path / "new" / "folder")

    assert load_password(tmp_path / "new" / "folder") == kept
    assert load_password(tmp_path) is None
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["password", "password.copy"]
    assert {stat.S_IMODE(entry.stat().st_mode) for entry in path.parent.iterdir()} == {0o600}


@pytest.mark.parametrize(
    "text",
    [
        b"", b"secret", b"scrypt$16$1$1$YQ==", b"scrypt$0$1$1$YQ==$YQ==", b"scrypt$16$1$1$%%$YQ==",
        b"scrypt$1073741824$8$1$YQ==$YQ==", b"scrypt$16$99999$1$YQ==$YQ==", b"argon2$16$1$1$YQ==$YQ==",
        b"scrypt$x$1$1$YQ==$YQ==", b"\xff\xfe", b"scrypt$16$1$1$YQ==$YQ==$more",
    ],
)  # fmt: skip
def test_a_file_that_vitcam_did_not_write_is_refused_without_its_content(tmp_path: Path, text: bytes) -> None:
    password_file(tmp_path).write_bytes(text)

    with pytest.raises(ConfigError, match="vitcam password") as refusal:
        load_password(tmp_path)
    assert "YQ==" not in str(refusal.value)


def test_a_file_that_cannot_be_read_is_refused_with_the_reason(tmp_path: Path) -> None:
    password_file(tmp_path).mkdir()

    with pytest.raises(ConfigError, match="Is a directory"):
        load_password(tmp_path)


@pytest.mark.parametrize("password", ["", "short", "x" * 257, "with\nline", "tab\there now"])
def test_a_password_that_cannot_be_used_is_refused_without_showing_it(password: str) -> None:
    with pytest.raises(UsageError) as refusal:
        check_password(password)
    assert not password or password not in str(refusal.value)


def test_passwords_that_vitcam_makes_are_allowed_and_never_the_same() -> None:
    made = {new_password() for _ in range(200)}

    assert len(made) == 200
    for password in made:
        check_password(password)


def test_a_damaged_password_is_replaced_by_its_copy_which_is_never_an_older_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for password in ("first password", "second password"):
        save_password(tmp_path, quick_hash(password))
    password_file(tmp_path).write_text("scrypt$")
    found = load_password(tmp_path)

    assert found is not None
    assert (found.fits("second password"), found.fits("first password")) == (True, False)
    assert "password is damaged" in caplog.text
    assert "scrypt" not in caplog.text
