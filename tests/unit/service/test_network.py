"""`--lan`: one line of the configuration changes, and the user's file stays as it is."""

import tomllib
from pathlib import Path

import pytest

from vitcam.config.web import WebSettings
from vitcam.errors import ConfigError
from vitcam.service.network import bind_to_network, ensure_password, reachable_address

EXAMPLE = Path(__file__).parents[3] / "examples" / "config.toml"


def bound(path: Path, text: str) -> str:
    path.write_text(text)
    assert bind_to_network(path)
    return path.read_text()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[web]\nhost = "0.0.0.0"\n'),
        ('[model]\nname = "x"', '[model]\nname = "x"\n\n[web]\nhost = "0.0.0.0"\n'),
        ("# mine\n[web] # page\nport = 9000\n", '# mine\n[web] # page\nhost = "0.0.0.0"\nport = 9000\n'),
        ("[web]\nport = 1\nhost = '127.0.0.1'  # here\n[log]\n", '[web]\nport = 1\nhost = "0.0.0.0"  # here\n[log]\n'),
        ('[web]\nhost="localhost"', '[web]\nhost = "0.0.0.0"'),
        ("[ web ]\n\n[camera]\n", '[ web ]\nhost = "0.0.0.0"\n\n[camera]\n'),
    ],
)
def test_only_the_address_changes_and_comments_stay(tmp_path: Path, before: str, after: str) -> None:
    assert bound(tmp_path / "config.toml", before) == after


def test_the_example_file_keeps_every_line_that_it_has(tmp_path: Path) -> None:
    before = EXAMPLE.read_text("utf-8")

    after = bound(tmp_path / "config.toml", before)

    assert after.replace('host = "0.0.0.0"\n', "", 1) == before
    assert tomllib.loads(after)["web"] == {"host": "0.0.0.0"}


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "cam.local"])
def test_an_address_that_others_reach_stays_as_it_is(tmp_path: Path, host: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f'[web]\nhost = "{host}"\n')

    assert not bind_to_network(path)
    assert path.read_text() == f'[web]\nhost = "{host}"\n'


@pytest.mark.parametrize(
    "text",
    [
        'web = { host = "127.0.0.1" }\n',
        'web.host = "127.0.0.1"\n',
        '[web]\nhost = """\\\n127.0.0.1"""\n',
        'x = """\n[web]\n"""\n[web]\nport = 1\n',
        '["web"]\nhost = "127.0.0.1"\n',
        "web = 3\n",
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_refused_and_stays(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)

    with pytest.raises(ConfigError, match=r'write host = "0\.0\.0\.0" below \[web\] there'):
        bind_to_network(path)

    assert path.read_text() == text


@pytest.mark.parametrize(("data", "reason"), [(b"[web\n", "is not "), (b"\xff\xfe", "it is in UTF-16")])
def test_a_file_that_is_no_toml_is_refused_with_its_name(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(data)

    with pytest.raises(ConfigError, match=rf"config\.toml: {reason}"):
        bind_to_network(path)


def test_a_file_keeps_its_mode_and_a_link_its_target(tmp_path: Path) -> None:
    real, link = tmp_path / "real.toml", tmp_path / "config.toml"
    real.touch(0o640)
    link.symlink_to(real)

    bind_to_network(link)

    assert link.is_symlink()
    assert "0.0.0.0" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.toml", "real.toml"]


def test_a_damaged_password_is_not_replaced_without_a_word(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("nothing that vitcam wrote")

    with pytest.raises(ConfigError, match="holds no password that vitcam wrote"):
        ensure_password(tmp_path)


@pytest.mark.parametrize(
    ("web", "address"),
    [
        (WebSettings(host="192.168.1.7", port=80), "http://192.168.1.7:80"),
        (WebSettings(host="::1"), "http://[::1]:8420"),
        (WebSettings(host="cam.local", certificate="c.pem"), "https://cam.local:8420"),
        (WebSettings(enabled=False), ""),
        (WebSettings(port=0), ""),
    ],
)
def test_the_address_is_one_that_a_browser_takes(web: WebSettings, address: str) -> None:
    assert reachable_address(web) == address
