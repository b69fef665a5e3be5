"""Tokens: created, found, revoked; and files that hold something else."""

import json
from pathlib import Path

import pytest

from vitcam.access.tokens import Scope, create_token, find_token, load_tokens, revoke_token, tokens_file
from vitcam.errors import ConfigError, UsageError


def test_a_token_is_found_by_what_was_printed_and_is_not_in_the_file(tmp_path: Path) -> None:
    reads = create_token(tmp_path, "screen", Scope.READ)
    controls = create_token(tmp_path, "night script", Scope.CONTROL)
    tokens = load_tokens(tmp_path)

    assert [(token.name, token.scope) for token in tokens] == [("screen", "read"), ("night script", "control")]
    assert find_token(tokens, controls) == tokens[1]
    assert find_token(tokens, reads + "x") is None
    assert find_token(tokens, "") is None
    assert reads not in tokens_file(tmp_path).read_text()


@pytest.mark.parametrize("name", ["", " screen", "x" * 65, "new\nline", "\x1b[31m", "a/b"])
def test_a_name_that_would_not_print_well_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        create_token(tmp_path, name, Scope.READ)
    assert load_tokens(tmp_path) == ()


def test_a_name_is_given_once_and_there_are_at_most_64_tokens(tmp_path: Path) -> None:
    for i in range(64):
        create_token(tmp_path, f"token {i}", Scope.READ)

    with pytest.raises(UsageError, match="already"):
        create_token(tmp_path, "token 3", Scope.READ)
    with pytest.raises(UsageError, match="64"):
        create_token(tmp_path, "one more", Scope.READ)


@pytest.mark.parametrize("content", ["", "{}x", '{"a": 1}', "[" * 100_000, "5"])
def test_a_file_that_vitcam_did_not_write_is_refused(tmp_path: Path, content: str) -> None:
    tokens_file(tmp_path).write_text(content)

    with pytest.raises(ConfigError, match="create them again"):
        load_tokens(tmp_path)


def test_damaged_tokens_are_replaced_by_their_copy_and_a_revoked_one_stays_revoked(tmp_path: Path) -> None:
    kept, revoked = (create_token(tmp_path, name, Scope.READ) for name in ("kept", "revoked"))
    revoke_token(tmp_path, "revoked")
    tokens_file(tmp_path).write_bytes(tokens_file(tmp_path).read_bytes()[:40])

    tokens = load_tokens(tmp_path)

    assert [token.name for token in tokens] == ["kept"]
    assert find_token(tokens, kept) is not None
    assert find_token(tokens, revoked) is None


@pytest.mark.parametrize("record", [1, {"name": "odd"}, {"scope": "root"}, {"sha256": ""}, {"name": ["x"]}])
def test_a_token_that_cannot_be_read_opens_nothing_and_costs_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, record: object
) -> None:
    shown = [create_token(tmp_path, name, Scope.READ) for name in ("stays", "odd")]
    path = tokens_file(tmp_path)
    records = json.loads(path.read_text())
    records[1] = {**records[1], **record} if isinstance(record, dict) and "name" not in record else record
    path.write_text(json.dumps(records))

    tokens = load_tokens(tmp_path)
    assert [find_token(tokens, each) for each in shown] == [tokens[0], None]
    assert "cannot be read, so it opens nothing" in caplog.text
    create_token(tmp_path, "new", Scope.CONTROL)
    assert records[1] in json.loads(path.read_text())


def test_a_token_that_cannot_be_read_keeps_its_name_until_it_is_revoked(tmp_path: Path) -> None:
    create_token(tmp_path, "phone", Scope.READ)
    path = tokens_file(tmp_path)
    path.write_text(path.read_text().replace('"read"', '"watch"'))

    with pytest.raises(UsageError, match="already"):
        create_token(tmp_path, "phone", Scope.READ)
    revoke_token(tmp_path, "phone")
    assert json.loads(path.read_text()) == []


def test_a_revoked_token_is_gone_and_the_others_stay(tmp_path: Path) -> None:
    gone, stays = create_token(tmp_path, "gone", Scope.READ), create_token(tmp_path, "stays", Scope.READ)
    revoke_token(tmp_path, "gone")

    assert find_token(load_tokens(tmp_path), gone) is None
    assert find_token(load_tokens(tmp_path), stays) is not None
    with pytest.raises(UsageError, match="'stays'"):
        revoke_token(tmp_path, "gone")
