"""Root's commands in a state folder that is somebody else's: they can do there what its owner can, and no more."""

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.command import Result, vitcam
from tests.eventually import eventually
from tests.frames import frame
from tests.histories import change
from tests.integration.faults.namespaces import need_namespaces
from vitcam.access.tokens import Scope, create_token
from vitcam.history.store import EventStore
from vitcam.history.stored import Query
from vitcam.pictures.encode import encode_jpeg

pytestmark = pytest.mark.slow("vitcam/storage", "vitcam/cli")

NOBODY, NOGROUP = 65534, 65534
IDS = tuple(f"01JM0000000000000000000{n:03}" for n in range(4))

Ask = Callable[..., Result]


@pytest.fixture
def state(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A state folder with events that belongs to nobody; also below one that root alone may enter, as systemd's."""
    need_namespaces("--mount")
    for above in (tmp_path, *tmp_path.parents):
        if not above.stat().st_mode & 0o001:
            above.chmod(0o711)
    folder = tmp_path / getattr(request, "param", "state")
    folder.mkdir(parents=True)
    folder.parent.chmod(0o700 if folder.parent.name == "private" else 0o755)
    store = EventStore(folder)
    store.start()
    jpeg = encode_jpeg(frame(1).preview, 80)
    for event_id in IDS:
        store.put(change(event_id, "end", jpeg=jpeg))
    assert eventually(lambda: len(store.find(Query()).events) == len(IDS))
    store.stop(10)
    give(folder)
    return folder


def give(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NOBODY, NOGROUP, follow_symlinks=False)


@pytest.fixture
def ask(state: Path, tmp_path: Path) -> Ask:
    link = tmp_path / "by-link"  # as /var/lib/vitcam leads to /var/lib/private/vitcam
    link.symlink_to(state)
    home = str(tmp_path / "home")
    return lambda *arguments, stdin=b"": vitcam(*arguments, stdin=stdin, STATE_DIRECTORY=str(link), HOME=home)


def strangers(folder: Path) -> list[str]:
    """Files that are not the owner's."""
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.lstat().st_uid != NOBODY]


def roots_file(path: Path, text: str = "only root reads this\n") -> Path:
    path.parent.mkdir(0o755, parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o600)
    return path


def test_what_root_writes_there_is_the_owners_and_what_it_exports_is_roots(
    ask: Ask, state: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir(0o700)
    for arguments in (
        ("token", "create", "shell"),
        ("token", "list"),
        ("events", "list"),
        ("events", "list", "--csv"),
        ("events", "show", IDS[0], "--json", "-o", str(out / "picture.jpg")),
        ("events", "export", str(out / "events.csv")),
        ("events", "export", str(out / "events.jsonl")),
        ("events", "export", str(out / "dataset")),
        ("events", "delete", IDS[0]),
        ("events", "delete", "--label", "cup", "--until", "2025-01-01", "--yes"),
        ("token", "revoke", "shell"),
        ("backup", str(out / "backup.tar"), "--state", str(state)),
        ("restore", str(out / "backup.tar"), "--state", str(state)),
    ):
        done = ask(*arguments)
        assert done.code == 0, (arguments, done.err)
        assert "/run/vitcam-" not in done.out + done.err  # people know it by its own name
    done = ask("password", "--stdin", stdin=b"a long password\n")
    assert done.code == 0, done.err

    assert strangers(state) == []
    assert (state / "password").stat().st_mode & 0o777 == 0o600
    made = [path for path in out.rglob("*") if path.is_file()]
    assert {path.name for path in made} >= {"picture.jpg", "events.csv", "events.jsonl", "backup.tar", f"{IDS[1]}.jpg"}
    assert {path.stat().st_uid for path in out.rglob("*")} == {0}
    assert len((out / "events.csv").read_text().splitlines()) == 1 + len(IDS)
    assert ask("events", "list", "--json").out.count("\n") == len(IDS) - 1


def test_a_link_to_a_file_of_roots_opens_nothing(ask: Ask, state: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "roots"
    elsewhere.mkdir(0o700)
    create_token(elsewhere, "confidential", Scope.CONTROL)
    shutil.copy(state / "events.db", elsewhere / "events.db")
    for name in ("tokens.json", "events.db"):
        (state / name).unlink(missing_ok=True)
        (state / name).symlink_to(elsewhere / name)
    before = {path: path.read_bytes() for path in elsewhere.iterdir()}

    for arguments in (
        ("token", "list"),
        ("token", "create", "shell"),
        ("events", "list"),
        ("events", "delete", IDS[0]),
    ):
        done = ask(*arguments)
        assert done.code != 0, arguments
        assert "confidential" not in done.out + done.err
        assert "Traceback" not in done.err

    assert {path: path.read_bytes() for path in elsewhere.iterdir()} == before
    assert {path.stat().st_uid for path in elsewhere.iterdir()} == {0}


HOSTILE = (
    "{elsewhere}/kept",
    "../roots/kept",
    "frames/../../roots/kept",
    "frames/day/../../../roots/kept",
    "frames/./x",
)


@pytest.mark.parametrize("column", ["frame", "clip"])
def test_names_in_the_database_lead_to_no_other_folder(ask: Ask, state: Path, tmp_path: Path, column: str) -> None:
    elsewhere = tmp_path / "roots"
    kept = roots_file(elsewhere / "kept")
    with closing(sqlite3.connect(state / "events.db")) as connection:
        for event_id, name in zip(IDS, HOSTILE, strict=False):
            name = name.format(elsewhere=elsewhere)
            connection.execute(f"UPDATE events SET {column} = ? WHERE id = ?", (name, event_id))
        connection.commit()
    give(state)
    ask("events", "export", str(tmp_path / "dataset"))
    shown = [ask("events", "show", event_id, "--json") for event_id in IDS]
    done = ask("events", "delete", "--label", "cup", "--yes")

    assert done.code == 0, done.err
    assert kept.exists()
    assert all("kept" not in each.out for each in shown)
    assert "only root" not in "".join(path.read_text("latin1") for path in tmp_path.glob("dataset/*/*"))


def test_an_id_in_the_database_that_is_a_path_is_written_nowhere(ask: Ask, state: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(state / "events.db")) as connection:
        connection.execute("UPDATE events SET id = ? WHERE id = ?", ("../../../escaped", IDS[0]))
        connection.commit()
    give(state)
    done = ask("events", "export", str(tmp_path / "out" / "dataset"))

    assert done.code == 1
    assert "Traceback" not in done.err
    assert not list(tmp_path.rglob("escaped*"))


def test_a_folder_that_is_swapped_for_a_link_while_a_backup_is_restored_gets_nothing_of_roots(
    ask: Ask, state: Path, tmp_path: Path
) -> None:
    """The owner of the folder above has put a link in its place: what root may do there, the link's owner may not."""
    backup = tmp_path / "backup.tar"
    assert ask("backup", str(backup), "--state", str(state)).code == 0
    roots = tmp_path / "roots"
    roots.mkdir(0o755)
    home = tmp_path / "home"
    home.mkdir(0o755)
    os.chown(home, NOBODY, NOGROUP)
    (home / "state").symlink_to(roots)
    os.chown(home / "state", NOBODY, NOGROUP, follow_symlinks=False)
    done = ask("restore", str(backup), "--state", str(home / "state"))

    assert done.code == 1, done.err
    assert list(roots.iterdir()) == []
    assert stat.S_IMODE(roots.stat().st_mode) == 0o755
