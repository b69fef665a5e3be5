"""`vitcam token peer`, `forget` and `list`: the tokens of other cameras, kept as a user keeps them."""

import stat
from pathlib import Path

from tests.command import vitcam

TOKEN = "vitcam_" + "a" * 43


def test_a_token_is_read_from_stdin_listed_without_it_and_forgotten(tmp_path: Path) -> None:
    def token(*arguments: str, stdin: bytes = b"") -> tuple[int, str]:
        done = vitcam("token", *arguments, stdin=stdin, STATE_DIRECTORY=str(tmp_path))
        assert TOKEN not in done.out + done.err
        assert "Traceback" not in done.err
        return done.code, done.out if arguments[0] == "list" else done.sentence

    code, said = token("peer", "garden", "--stdin", stdin=f"{TOKEN}\n".encode())
    assert code == 0
    assert "peer_tokens" in said
    assert stat.S_IMODE((tmp_path / "peer_tokens").stat().st_mode) == 0o600
    assert TOKEN in (tmp_path / "peer_tokens").read_text()
    assert '"peer": "garden"' in token("list", "--json")[1]

    code, said = token("peer", "garden")
    assert (code, "--stdin" in said) == (2, True)
    code, said = token("peer", "garden", "--stdin", "--fingerprint", "12:34", stdin=TOKEN.encode())
    assert (code, "openssl" in said) == (2, True)
    code, said = token("peer", "gar/den", "--stdin", stdin=TOKEN.encode())
    assert (code, "'gar/den'" in said) == (2, True)

    assert token("forget", "garden")[0] == 0
    code, said = token("forget", "garden")
    assert (code, "'garden'" in said) == (2, True)
