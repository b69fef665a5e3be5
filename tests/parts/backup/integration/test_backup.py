"""`vitcam backup` and `vitcam restore` as their user has them."""

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import tarfile
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.backups import CONTENT, machine
from tests.command import vitcam
from tests.daemon import daemon
from tests.eventually import eventually
from tests.stepped import stepped
from vitcam.access.password import PasswordHash, load_password, save_password
from vitcam.access.tokens import Scope, create_token, find_token, load_tokens
from vitcam.daemon.saved_state.page_settings import PageSettings
from vitcam.names.wanted import WantedNames, own_names
from vitcam.parts.teach.cache import FILE as FEATURES


def test_what_one_machine_has_is_on_the_other_after_backup_and_restore(tmp_path: Path) -> None:
    old, new, file = machine(tmp_path / "old"), machine(tmp_path / "new", {}), tmp_path / "b.tar"

    written, restored = old.backup(file), new.restore(file)

    assert (written.code, written.out) == (0, "")
    assert (restored.code, restored.out) == (0, "")
    assert new.files() == old.files() == CONTENT
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(tmp_path.glob(".*")) == []


def test_the_first_entry_says_what_follows_and_any_tar_can_unpack_it(tmp_path: Path) -> None:
    file = tmp_path / "b.tar"
    machine(tmp_path / "old").backup(file)

    subprocess.run(["tar", "-xf", file, "-C", tmp_path], check=True, timeout=60)

    with tarfile.open(file) as tar:
        assert tar.getnames()[0] == "vitcam-backup.json"
    said = json.loads((tmp_path / "vitcam-backup.json").read_text())
    assert said["vitcam_backup"].startswith("1.")
    assert {each["name"] for each in said["files"]} == set(CONTENT)
    assert all((tmp_path / name).read_bytes() == data for name, data in CONTENT.items())


def test_a_password_and_a_token_are_valid_on_the_other_machine(tmp_path: Path) -> None:
    old, new, file = machine(tmp_path / "old", {}), machine(tmp_path / "new", {}), tmp_path / "b.tar"
    save_password(old.root / "state", PasswordHash.of_password("correct horse"))
    token = create_token(old.root / "state", "script", Scope.READ)
    old.backup(file)
    new.restore(file)

    password = load_password(new.root / "state")

    assert password is not None
    assert password.fits("correct horse")
    assert find_token(load_tokens(new.root / "state"), token) is not None
    assert stat.S_IMODE((new.root / "state" / "password").stat().st_mode) == 0o600
    assert b"correct horse" not in file.read_bytes()
    assert token.encode() not in file.read_bytes()


def test_a_backup_goes_through_a_pipe_from_machine_to_machine(tmp_path: Path) -> None:
    old, new = machine(tmp_path / "old"), machine(tmp_path / "new", {})
    command = [sys.executable, "-m", "vitcam"]
    writing = subprocess.Popen([*command, "backup", "-", *old.options], stdout=subprocess.PIPE)
    with writing:
        reading = subprocess.run([*command, "restore", "-", *new.options], stdin=writing.stdout, timeout=60)

    assert (writing.returncode, reading.returncode) == (0, 0)
    assert new.files() == CONTENT


def test_a_file_that_exists_stays_as_it_is_without_force(tmp_path: Path) -> None:
    old, file = machine(tmp_path / "old"), tmp_path / "b.tar"
    file.write_bytes(b"precious")

    refused, kept = old.backup(file), file.read_bytes()
    forced = old.backup(file, "--force")

    assert (refused.code, kept) == (2, b"precious")
    assert "exists already" in refused.sentence
    assert forced.code == 0
    assert tarfile.is_tarfile(file)


def test_a_disk_that_is_full_leaves_no_half_backup(tmp_path: Path) -> None:
    old, file = machine(tmp_path / "old"), tmp_path / "b.tar"
    command = ["bash", "-c", 'ulimit -f 40 && trap "" XFSZ && exec "$@"', "-", sys.executable, "-m", "vitcam"]

    done = subprocess.run([*command, "backup", file, *old.options], capture_output=True, text=True, timeout=60)

    assert done.returncode == 1
    assert "nothing was written" in done.stderr
    assert "Traceback" not in done.stderr
    assert not [path for path in tmp_path.iterdir() if path.name != "old"]


def test_names_that_were_set_on_the_page_come_back(tmp_path: Path) -> None:
    wanted = WantedNames("de", own_names({"tabby cat": "Mia"}))
    old, new = machine(tmp_path / "old", {"state/other": b"x"}), machine(tmp_path / "new", {})
    PageSettings(old.root / "state").save_names(wanted)
    old.backup(tmp_path / "b.tar")
    new.restore(tmp_path / "b.tar")

    assert PageSettings(new.root / "state").names == wanted


@pytest.mark.parametrize("target", ["old/state/b.tar", "missing/b.tar", "old", "/dev/null"])
def test_a_place_where_no_backup_can_lie_is_refused_in_one_sentence(target: str, tmp_path: Path) -> None:
    old = machine(tmp_path / "old")

    result = old.backup(tmp_path / target, "--force")

    assert result.code == 2
    assert len(result.err.splitlines()) == 1
    assert old.files() == CONTENT
    assert Path("/dev/null").is_char_device()


def test_what_was_there_before_a_restore_is_kept_beside_it(tmp_path: Path) -> None:
    old, file = machine(tmp_path / "old"), tmp_path / "b.tar"
    new = machine(tmp_path / "new", {"state/crops.json": b"{}", "state/datasets/x/1.jpg": b"x", "state/lock": b""})
    old.backup(file)

    result = new.restore(file)

    kept = next((new.root / "state").glob("before-restore-*"))
    assert str(kept) in result.err
    assert (kept / "crops.json").read_bytes() == b"{}"
    assert (kept / "datasets" / "x" / "1.jpg").read_bytes() == b"x"
    assert {name: data for name, data in new.files().items() if "before-restore" not in name} == CONTENT


def test_a_dry_run_says_what_would_be_replaced_and_changes_nothing(tmp_path: Path) -> None:
    old, file = machine(tmp_path / "old"), tmp_path / "b.tar"
    new = machine(tmp_path / "new", {"state/crops.json": b"{}", "state/other": b"x"})
    old.backup(file)
    before = new.files()

    result = new.restore(file, "--dry-run")

    state = new.root / "state"
    assert result.code == 0
    assert result.out.splitlines() == [
        f"new        {new.root / 'config' / 'config.toml'} (1 file, 18 bytes)",
        f"replaced   {state / 'crops.json'} (1 file, 27 bytes)",
        f"new        {state / 'datasets'} (1 file, 0.07 MB)",
        f"moved away {state / 'other'}",
        f"new        {state / 'password'} (1 file, 31 bytes)",
        f"new        {state / 'tokens.json'} (1 file, 3 bytes)",
        f"new        {new.root / 'data' / 'models'} (1 file, 0.08 MB)",
    ]
    assert new.files() == before


def test_a_daemon_is_not_disturbed_by_a_backup_and_not_touched_by_a_restore(tmp_path: Path) -> None:
    state, file = tmp_path / "state", tmp_path / "b.tar"
    folders = [f"--config={tmp_path / 'config'}", f"--state={state}", f"--data={tmp_path / 'data'}"]
    with daemon("--source", "demo", STATE_DIRECTORY=str(state)) as running:
        running.wait_for("ok")
        (state / "crops.json").parent.mkdir(exist_ok=True)
        (state / "crops.json").write_text('{"picamera": "0,0,0.5,0.5"}')
        written = vitcam("backup", str(file), *folders)
        (state / "crops.json").write_text("{}")
        refused, kept = vitcam("restore", str(file), *folders), (state / "crops.json").read_text()
        running.wait_for("ok")
        code, _ = running.end()
    restored = vitcam("restore", str(file), *folders)

    assert (written.code, refused.code, restored.code, code) == (0, 1, 0, 0)
    assert f"(process {running.process.pid})" in refused.sentence
    assert kept == "{}"
    assert (state / "crops.json").read_text() == '{"picamera": "0,0,0.5,0.5"}'


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_database_that_is_written_to_meanwhile_is_whole_in_the_backup(journal: str, tmp_path: Path) -> None:
    old, new, file = machine(tmp_path / "old"), machine(tmp_path / "new", {}), tmp_path / "b.tar"
    path, ended = old.root / "state" / "events.db", threading.Event()
    wrote, errors = threading.Event(), list[sqlite3.Error]()

    def write() -> None:
        """Two rows at a time: a copy with an odd number of rows is torn."""
        connection = sqlite3.connect(path, timeout=30)
        try:
            while not ended.is_set():
                with connection:
                    connection.execute("INSERT INTO seen VALUES (?)", (bytes(3000),))
                    connection.execute("INSERT INTO seen VALUES (?)", (bytes(3000),))
                wrote.set()
        except sqlite3.Error as error:
            errors.append(error)
        finally:
            connection.close()

    made = sqlite3.connect(path)
    made.execute(f"PRAGMA journal_mode = {journal}")
    made.execute("CREATE TABLE seen (what BLOB)")
    made.close()
    writer = threading.Thread(target=write)
    writer.start()
    assert wrote.wait(30)
    written = old.backup(file)
    ended.set()
    writer.join(30)
    restored = new.restore(file)

    copy = sqlite3.connect(new.root / "state" / "events.db")
    (rows,), (check,) = (
        copy.execute("SELECT count(*) FROM seen").fetchone(),
        copy.execute("PRAGMA quick_check").fetchone(),
    )
    copy.close()
    assert (written.code, restored.code, errors) == (0, 0, [])
    assert rows > 0
    assert rows % 2 == 0
    assert check == "ok"
    assert not list((new.root / "state").glob("events.db-*"))


@pytest.mark.parametrize("damaged", [slice(16, 100), slice(100, 4096)], ids=["header", "schema"])
def test_a_damaged_database_is_in_the_backup_as_it_is_and_stops_nothing(damaged: slice, tmp_path: Path) -> None:
    old, new = machine(tmp_path / "old"), machine(tmp_path / "new", {})
    path = old.root / "state" / "events.db.damaged-20260101T000000"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE seen (what BLOB)")
    content = bytearray(path.read_bytes())
    content[damaged] = b"\xee" * len(content[damaged])
    path.write_bytes(content)

    written, restored = old.backup(tmp_path / "b.tar"), new.restore(tmp_path / "b.tar")

    assert (written.code, restored.code) == (0, 0)
    assert f"{path} is damaged: " in written.err
    assert new.files() == old.files()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_root_gives_restored_files_to_the_owner_of_the_folder(tmp_path: Path) -> None:
    old, new, file = machine(tmp_path / "old"), machine(tmp_path / "new", {}), tmp_path / "b.tar"
    (new.root / "state").mkdir(parents=True)
    os.chown(new.root / "state", 61234, 61235)
    old.backup(file)

    new.restore(file)

    owners = {(path.lstat().st_uid, path.lstat().st_gid) for path in (new.root / "state").rglob("*")}
    assert owners == {(61234, 61235)}


def test_links_are_left_out_with_a_sentence_and_what_is_of_one_run_without_one(tmp_path: Path) -> None:
    of_one_run = {
        "state/serving.lock": b"",
        "state/sessions.json": b"{}",
        "state/outbox.db": b"",
        "state/outbox.db-wal": b"",
        "state/outbox.db.damaged-20260101T000000": b"",
        "state/.vitcam-partial-0123456789abcdef": b"",
        "state/.crops.json.01234567.partial": b"",
        f"state/datasets/desk/{FEATURES}": b"",
        "state/before-restore-20260101T000000Z-k3j/password": b"",
        "data/models/.desk.tflite.01234567.partial": b"",
        "config/.vitcam-restore-k3j_4x9a/config.toml": b"",
    }
    old, new = machine(tmp_path / "old", {**CONTENT, **of_one_run}), machine(tmp_path / "new", {})
    (old.root / "state" / "clips").symlink_to("/etc")
    os.mkfifo(old.root / "state" / "pipe")

    written, _ = old.backup(tmp_path / "b.tar"), new.restore(tmp_path / "b.tar")

    assert new.files() == CONTENT
    assert f"{old.root}/state/clips was left out" in written.err
    assert f"{old.root}/state/pipe was left out" in written.err
    assert written.err.count("was left out") == 2


NAMES = (
    "lock", "cache", "tmp", "tmpholder1", "cat~", "key.lock", "Mr. part", "a.tmp", "x.pid", "x.partial", "__pycache__",
    "lost+found", "sessions.json", "outbox.db", "serving.lock", "before-restore-x", "models",
)  # fmt: skip


def test_what_people_called_as_our_own_files_are_called_is_in_the_backup(tmp_path: Path) -> None:
    names = [f"state/datasets/mine/{label}/x-001.jpg" for label in NAMES]
    names += [f"state/datasets/{name}/cat/x-001.jpg" for name in ("lock", "cache", "tmp")]
    names += ["state/datasets/mine/.whole/lock/x-001.jpg", "config/.notes", "config/config.toml~", "data/tmp/cache/x"]
    names += [
        "data/models/lock.tflite",
        "data/photos/.trash/.x.01234567.partial",
        "config/lock",
        "data/before-restore-notes/x",
    ]
    old, new = machine(tmp_path / "old", dict.fromkeys(names, b"mine")), machine(tmp_path / "new", {})

    written, restored = old.backup(tmp_path / "b.tar"), new.restore(tmp_path / "b.tar")

    assert (written.code, restored.code) == (0, 0)
    assert new.files() == dict.fromkeys(sorted(names), b"mine")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_backup_that_is_interrupted_at_any_step_leaves_nothing_or_what_the_next_one_removes(
    number: signal.Signals, tmp_path: Path
) -> None:
    old, out = machine(tmp_path / "old"), tmp_path / "out"
    out.mkdir()
    with closing(sqlite3.connect(old.root / "state" / "events.db")) as database:
        database.execute("CREATE TABLE seen (what BLOB)")
    arguments = ("backup", str(out / "b.tar"), *old.options)
    steps = stepped(out, 0, number, *arguments).steps
    (out / "b.tar").unlink()

    for step in range(1, steps + 1):
        ended = stepped(out, step, number, *arguments)
        if (out / "b.tar").exists():  # its last steps come after it has its name
            (out / "b.tar").unlink()
            assert ended.code in (0, -number)
        elif number != signal.SIGKILL:
            assert ended.code == (130 if number == signal.SIGINT else -number)
            assert "interrupted: nothing was written" in ended.err
            assert list(out.iterdir()) == []
    old.backup(out / "other.tar")

    assert steps > 4
    assert [path.name for path in out.iterdir()] == ["other.tar"]


def test_names_that_are_no_utf8_and_long_ones_come_back_as_they_were(tmp_path: Path) -> None:
    names = [os.fsdecode(b"state/datasets/\xff/\xe9.jpg"), f"state/datasets/{'n' * 200}/{'ü' * 100}.jpg"]
    old, new = machine(tmp_path / "old", dict.fromkeys(names, b"x")), machine(tmp_path / "new", {})

    written, restored = old.backup(tmp_path / "b.tar"), new.restore(tmp_path / "b.tar")

    assert (written.code, restored.code) == (0, 0)
    assert set(new.files()) == set(names)


def test_a_file_that_the_configuration_names_elsewhere_is_named_and_one_inside_is_not(tmp_path: Path) -> None:
    old = machine(tmp_path / "old")
    (tmp_path / "labels.txt").write_text("cup")
    labels, certificate = tmp_path / "labels.txt", old.root / "config" / "config.toml"

    result = vitcam(
        "backup",
        str(tmp_path / "b.tar"),
        *old.options,
        VITCAM_MODEL_LABELS=str(labels),
        VITCAM_WEB_CERTIFICATE=str(certificate),
    )

    assert result.code == 0
    assert f"{labels} is not in the backup: model.labels names it" in result.err
    assert "web.certificate" not in result.err


def test_a_damaged_configuration_is_carried_as_it_is(tmp_path: Path) -> None:
    broken = {"config/config.toml": b"[web\n", "state/crops.json": b"{"}
    old, new = machine(tmp_path / "old", broken), machine(tmp_path / "new", {})

    written = vitcam("backup", str(tmp_path / "b.tar"), *old.options, VITCAM_WEB_PORT="many")
    new.restore(tmp_path / "b.tar")

    assert written.code == 0
    assert "is not known: VITCAM_WEB_PORT" in written.err
    assert new.files() == broken


def test_nothing_to_write_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    result = machine(tmp_path / "old", {}).backup(tmp_path / "b.tar")

    assert result.code == 2
    assert "there is nothing to write" in result.sentence
    assert list(tmp_path.iterdir()) == []


def test_a_restore_that_is_killed_loses_nothing_and_can_be_run_again(tmp_path: Path) -> None:
    old = machine(tmp_path / "old", CONTENT | {"state/events.bin": bytes(48 << 20)})
    new, file = machine(tmp_path / "new", {"state/crops.json": b"{}"}), tmp_path / "b.tar"
    old.backup(file)
    command = [sys.executable, "-m", "vitcam", "restore", str(file), *new.options]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as restoring:
        eventually(lambda: restoring.poll() is not None or list((new.root / "state").glob(".vitcam-restore-*/*")))
        restoring.kill()
    killed = new.files()
    again = new.restore(file)

    now = {name: data for name, data in new.files().items() if "before-restore" not in name}
    assert b"{}" in killed.values()
    assert again.code == 0
    assert now == old.files()
    assert not list(new.root.rglob(".vitcam-restore-*"))
