"""`vitcam run` on an address of the network, and the commands for password and tokens, as real processes."""

import stat
from pathlib import Path

import pytest

from tests.certificates import make_certificate
from tests.command import vitcam
from tests.daemon import daemon
from tests.eventually import eventually
from tests.secured import ask, basic, bearer, log_in
from tests.terminal import terminal
from vitcam.access.password import load_password

LAN = ("--source", "demo", "--model", "mnist", "--host", "0.0.0.0")
PASSWORD = "correct horse 7"
BACK_S = 30.0


def test_without_a_terminal_and_without_a_password_it_ends_with_78_and_says_what_helps(tmp_path: Path) -> None:
    for manager in ("", "/nonexistent"):
        result = vitcam("run", *LAN, "--port", "0", XDG_STATE_HOME=str(tmp_path), NOTIFY_SOCKET=manager)

        assert result.code == 78
        assert "`vitcam password`" in result.sentence
        assert "--no-password" in result.sentence
    assert not list(tmp_path.rglob("password"))


def test_on_a_terminal_it_makes_a_password_and_prints_it_this_once(tmp_path: Path) -> None:
    command = ["run", *LAN, "--port", "0", "--log", "json"]
    with terminal(*command, columns=200, XDG_STATE_HOME=str(tmp_path)) as first:
        first.until(lambda screen: any("asks for a password" in row for row in screen.everything))
        shown = "".join(first.everything).partition("asks for a password: ")[2][:19]
        first.until(lambda screen: any("watch at" in row for row in screen.everything))
    with terminal(*command, columns=200, XDG_STATE_HOME=str(tmp_path)) as second:
        second.until(lambda screen: any("watch at" in row for row in screen.everything))
        again = "".join(second.everything)

    kept = load_password(tmp_path / "vitcam")
    assert kept is not None
    assert kept.fits(shown)
    assert "asks for a password" not in again
    assert shown not in again


def test_a_password_in_the_environment_is_asked_for_and_stands_nowhere(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with daemon(*LAN, stdout=str(out), XDG_STATE_HOME=str(tmp_path), VITCAM_WEB_PASSWORD=PASSWORD) as running:
        assert eventually(lambda: status(running.url) == 401, BACK_S)
        opened = ask(running.url, "/api/state", headers=basic())
        answer = log_in(running.url)
        said = opened.body + ask(running.url, "/api/model", headers=basic()).body
        code, _ = running.end()
        errors = running.errors()
    config = vitcam("config", "show", "--json", VITCAM_WEB_PASSWORD=PASSWORD)

    assert (opened.status, answer.status, code, config.code) == (200, 303, 0, 0)
    assert PASSWORD not in said.decode() + errors + out.read_text() + config.out + config.err


def test_the_password_in_the_environment_is_checked_without_showing_it() -> None:
    result = vitcam("run", *LAN, "--port", "0", VITCAM_WEB_PASSWORD="short")

    assert result.code == 78
    assert "VITCAM_WEB_PASSWORD" in result.sentence
    assert "short;" not in result.sentence


def test_no_password_lets_everybody_in_and_says_so(tmp_path: Path) -> None:
    with daemon(*LAN, "--no-password", XDG_STATE_HOME=str(tmp_path)) as running:
        running.wait_for("ok")

        assert "everybody who reaches 0.0.0.0" in running.errors()


def test_a_certificate_serves_https_and_a_wrong_one_ends_with_78(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    tls = ("--set", f"web.certificate={certificate}", "--set", f"web.key={key}")
    with daemon(*LAN, *tls, XDG_STATE_HOME=str(tmp_path), VITCAM_WEB_PASSWORD=PASSWORD) as running:
        url = running.url.replace("http:", "https:")
        assert eventually(lambda: status(url) == 401, BACK_S)
        answer = ask(url, "/api/state", headers=basic())
    absent = vitcam("run", *LAN, "--port", "0", "--set", "web.certificate=/nonexistent", VITCAM_WEB_PASSWORD=PASSWORD)
    only_key = vitcam("run", *LAN, "--port", "0", "--set", f"web.key={key}", VITCAM_WEB_PASSWORD=PASSWORD)

    assert answer.status == 200
    assert (absent.code, only_key.code) == (78, 78)
    assert "/nonexistent cannot be read" in absent.sentence


def test_password_and_token_are_set_by_commands_and_a_daemon_takes_them_while_it_runs(tmp_path: Path) -> None:
    state = str(tmp_path)
    done = vitcam("password", "--stdin", stdin=f"{PASSWORD}\n".encode(), XDG_STATE_HOME=state)
    with daemon(*LAN, XDG_STATE_HOME=state) as running:
        assert eventually(lambda: status(running.url) == 401, BACK_S)
        token = vitcam("token", "create", "screen", XDG_STATE_HOME=state).out.strip()
        assert eventually(lambda: status(running.url, bearer(token)) == 200, BACK_S)
        vitcam("token", "revoke", "screen", XDG_STATE_HOME=state)
        assert eventually(lambda: status(running.url, bearer(token)) == 401, BACK_S)
        vitcam("password", "--stdin", stdin=b"another password\n", XDG_STATE_HOME=state)
        assert eventually(lambda: status(running.url, basic("another password")) == 200, BACK_S)

        assert PASSWORD not in done.out + done.err
    kept = [*(tmp_path / "vitcam").iterdir()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept if path.is_dir()} <= {0o700}


@pytest.mark.parametrize(
    ("words", "stdin", "code"),
    [
        (("password",), "", 2),
        (("password", "--stdin"), "", 2),
        (("password", "--stdin"), "short\n", 2),
        (("password", "--stdin"), "x" * 300 + "\n", 2),
        (("password", "--stdin", "--instance", "no_such_camera"), f"{PASSWORD}\n", 2),
        (("token", "create", "bad\nname"), "", 2),
        (("token", "create", "a", "--scope", "root"), "", 2),
        (("token", "revoke", "unknown"), "", 2),
    ],
)
def test_a_password_or_token_that_cannot_be_is_refused_with_a_sentence(
    tmp_path: Path, words: tuple[str, ...], stdin: str, code: int
) -> None:
    result = vitcam(*words, stdin=stdin.encode(), XDG_STATE_HOME=str(tmp_path))

    assert result.code == code
    assert "Traceback" not in result.err
    assert not list(tmp_path.rglob("password"))


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "vitcam").write_text("a file where the folder should be")
    for words in (("password", "--stdin"), ("token", "create", "screen")):
        result = vitcam(*words, stdin=f"{PASSWORD}\n".encode(), XDG_STATE_HOME=str(tmp_path))

        assert result.code in (1, 78)
        assert str(tmp_path) in result.sentence


def test_the_doctor_says_who_may_watch_and_finds_a_daemon_that_asks_for_its_password(tmp_path: Path) -> None:
    state = str(tmp_path)
    before = vitcam("doctor", "--set", "web.host=0.0.0.0", XDG_STATE_HOME=state)
    vitcam("password", "--stdin", stdin=f"{PASSWORD}\n".encode(), XDG_STATE_HOME=state)
    with daemon(*LAN, XDG_STATE_HOME=state) as running:
        assert eventually(lambda: status(running.url) == 401, BACK_S)
        port = running.url.rsplit(":", 1)[1]
        asked = ("doctor", "--set", "web.host=0.0.0.0", "--set", f"web.port={port}")
        after = vitcam(*asked, XDG_STATE_HOME=state)
        another = vitcam(*asked, XDG_STATE_HOME=str(tmp_path / "of-another-user"))

    assert "there is no password" in before.out
    assert "who has the password or one of 0 tokens" in after.out
    assert "it asks for its password" in after.out
    assert "there is no password" not in another.out, "a service's is in a folder of the service"
    assert "who has the password of the vitcam that serves there" in another.out


def status(url: str, headers: dict[str, str] | None = None) -> int:
    """0 while nobody answers."""
    try:
        return ask(url, "/api/state", headers=headers).status
    except OSError:
        return 0
