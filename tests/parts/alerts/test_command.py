"""A user's program may fail, hang, fork, flood or be missing: the action fails with a sentence, and nothing is left."""

import json
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.parts.alerts.doing import task
from vitcam.parts.alerts.command import Commands
from vitcam.parts.alerts.settings import OnSettings
from vitcam.parts.alerts.task import ActionFailed


def run(*command: str, timeout_s: float = 20.0, environ: dict[str, str] | None = None) -> str:
    commands = Commands({"PATH": os.environ["PATH"]} if environ is None else environ)
    return commands(task(OnSettings("lamp", command=command, timeout_s=timeout_s)))


def python(code: str, *arguments: str, timeout_s: float = 20.0) -> str:
    return run(sys.executable, "-I", "-S", "-c", code, *arguments, timeout_s=timeout_s)


def runs(pid: int) -> bool:
    """Whether a process is there, and no zombie."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


def test_a_command_gets_the_event_on_stdin_and_its_last_line_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "event"

    detail = python(
        "import sys; open(sys.argv[1], 'w').write(sys.stdin.read()); print('one\\n\\x1b[1mtwo\\n')", str(out)
    )

    record = json.loads(out.read_text())
    assert detail == "\\u001b[1mtwo"
    assert (record["id"], record["label"], record["rule"], record["phase"]) == ("01A", "tabby", "lamp", "new")


def test_a_command_sees_no_variable_that_may_hold_a_secret(tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "VITCAM_ACTIONS_SECRET": "s", "AWS_SECRET": "s", "LANG": "C.UTF-8"}

    run("sh", "-c", f"env > {tmp_path}/env", environ=environ)

    names = {line.partition("=")[0] for line in (tmp_path / "env").read_text().splitlines()}
    assert {"PATH", "LANG"} <= names <= {"PATH", "LANG", "PWD", "SHLVL", "_", "OLDPWD"}


def test_the_arguments_go_to_the_program_as_they_are_without_a_shell(tmp_path: Path) -> None:
    detail = run("echo", f"$(touch {tmp_path}/made)", "; true", "*")

    assert detail == f"$(touch {tmp_path}/made) ; true *"
    assert not list(tmp_path.iterdir())


@pytest.mark.fault(
    "the command of a rule fails",
    injected="it ends with status 3, is killed, is missing, is a folder, or is not a program",
    observed="the action has failed, with the reason and the last line of its output; the daemon continues",
)
@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (("sh", "-c", "echo no lamp >&2; exit 3"), "it ended with status 3: no lamp"),
        (("sh", "-c", "kill -9 $$"), "it ended by SIGKILL"),
        (("/nonexistent/lamp", "on"), "/nonexistent/lamp cannot be run: No such file or directory"),
        (("/tmp",), "/tmp cannot be run: Permission denied"),
    ],
)
def test_a_command_that_fails_says_why(command: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(ActionFailed) as refused:
        run(*command)

    assert str(refused.value) == sentence


@pytest.mark.fault(
    "the command of a rule hangs",
    injected="it ignores SIGTERM, and so does the process that it started",
    observed="after its time limit all of them are killed, and the action has failed",
)
def test_a_command_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = (
        "import os, signal, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.fork();"
        "open(sys.argv[1], 'a').write(f'{os.getpid()}\\n'); print('ready', flush=True); signal.pause()"
    )
    began = time.monotonic()

    with pytest.raises(ActionFailed, match="it was ended because it took too long: ready"):
        python(code, str(pids), timeout_s=2.0)

    found = [int(line) for line in pids.read_text().split()]
    assert len(found) == 2
    assert eventually(lambda: not any(map(runs, found)))
    assert time.monotonic() - began < 30


def test_what_a_command_leaves_running_ends_with_it(tmp_path: Path) -> None:
    detail = run("sh", "-c", "sleep 600 & echo $!")

    assert eventually(lambda: not runs(int(detail)))


def test_a_command_that_closes_its_output_is_still_waited_for(tmp_path: Path) -> None:
    with pytest.raises(ActionFailed, match="it ended with status 4"):
        run("sh", "-c", "exec >&- 2>&-; sleep 0.2; exit 4")


@pytest.mark.fault(
    "the command of a rule writes without end",
    injected="`yes`, and one line of 900 kB",
    observed="at 1 MB it is ended; at most 4 kB of its output are kept",
)
def test_a_command_that_floods_its_output_is_ended() -> None:
    with pytest.raises(ActionFailed, match="it was ended because it wrote more than 1 MB: y"):
        run("yes")

    detail = python("print('x' * 900_000)")
    assert len(detail) <= 4096


def test_the_end_of_the_run_ends_a_command_and_begins_no_other() -> None:
    commands = Commands({"PATH": os.environ["PATH"]})
    failures: list[str] = []

    def act() -> None:
        try:
            commands(task(OnSettings("lamp", command=("sleep", "600"))))
        except ActionFailed as failure:
            failures.append(str(failure))

    thread = threading.Thread(target=act)
    thread.start()
    assert eventually(lambda: commands._running)
    commands.close()
    thread.join(20)

    assert failures == ["it ended by SIGKILL"]
    with pytest.raises(ActionFailed, match="vitcam ended before it began"):
        commands(task(OnSettings("lamp", command=("true",))))
