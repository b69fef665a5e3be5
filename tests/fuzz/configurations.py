"""Configurations with wrong text, variables and options: each is taken, or refused in one sentence."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from tests.fuzz.outcome import Outcome, chance, damaged
from vitcam.config.load import merge_layers
from vitcam.config.settings import options, sections
from vitcam.errors import ConfigError, UsageError

_EXAMPLE = (Path(__file__).parents[2] / "examples" / "config.toml").read_text("utf-8")
_COMMAND_EVERY = 40
_TIMEOUT_S = 60
_MOST_LETTERS = 1000
_VALUES = (
    "", "0", "-1", "1", "1e999", "nan", "inf", "-inf", "true", "yes", "no", "9" * 5000, "0x10", "1_000", " 1 ", "\x00",
    "a,b", ",", ",,,", "[]", "{}", '"', "'", "\n", "\ud800", "é" * 300, "/", "~", "$HOME", "0.5", "1:2", "10s",
    "127.0.0.1", "rtsp://user:hunter2@camera/", "\x1b[31m",
)  # fmt: skip
_WRITTEN = (
    "1", "-1", "0.5", "true", '"text"', "[]", '["a", 1]', "[[1]]", "{a = 1}", "1979-05-27T07:32:00Z", "nan", "inf",
    "1e400", "[" * 3000, "{a=" * 3000,
    "9" * 400, '"""a\nb"""', "'\\'", '"\\u0000"', '"\\uD800"', "0x7fffffffffffffffff", "", "[[", "{", "1979-05-27",
)  # fmt: skip


def run(count: int, seed: int) -> Outcome:
    """Read `count` configurations in this process, and some by the command that a user would give."""
    outcome = Outcome("mutated configurations", count=count)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="vitcam-fuzz-") as folder:
        path = Path(folder, "vitcam.toml")
        for number in range(count):
            dice = chance(seed, "configuration", number)
            path.write_bytes(_file(dice))
            variables, sets = _variables(dice), _sets(dice)
            try:
                _merge(path, sets, variables, number, outcome)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
                outcome.found(number, f"{type(error).__name__}: {error} for {sets} {variables}")
            if number % _COMMAND_EVERY == 0:
                _command(path, sets, number, outcome)
    outcome.seconds = time.monotonic() - started
    return outcome


def _merge(path: Path, sets: list[str], variables: dict[str, str], number: int, outcome: Outcome) -> None:
    try:
        effective = merge_layers(path, sets, {}, variables, system_file=path.with_name("none.toml"))
    except (ConfigError, UsageError) as refused:
        outcome.answers["refused"] += 1
        said = str(refused)
        if not said or len(said) > _MOST_LETTERS or "hunter2" in said:
            outcome.found(number, f"a sentence that is none, too long, or says a secret: {said[:300]!r}")
        return
    outcome.answers["taken"] += 1
    effective.rows()


def _command(path: Path, sets: list[str], number: int, outcome: Outcome) -> None:
    given = [part for text in sets if "\0" not in text for part in ("--set", text)]
    command = [sys.executable, "-P", "-m", "vitcam", "config", "check", "--config", str(path)]
    try:
        child = subprocess.run([*command, *given], capture_output=True, timeout=_TIMEOUT_S, check=False)
    except UnicodeEncodeError:  # no command line can carry it
        return
    said = (child.stdout + child.stderr).decode(errors="replace")
    if child.returncode not in (0, 2, 78) or "Traceback" in said:
        outcome.found(number, f"`vitcam config check` ended with {child.returncode}: {said[-600:]}")
    outcome.answers[f"exit code {child.returncode}"] += 1


def _file(dice: Random) -> bytes:
    """The example with its lines in force, some of them changed; or with wrong bytes; or made up."""
    lines = [line.removeprefix("# ") if " = " in line else line for line in _EXAMPLE.splitlines()]
    match dice.randrange(4):
        case 0:
            return damaged("\n".join(lines).encode(), dice, 10)
        case 1:
            return damaged(_EXAMPLE.encode(), dice, 10)
        case 2:
            for _ in range(dice.randint(1, 3)):
                at = dice.randrange(len(lines))
                key, equals, _ = lines[at].partition(" = ")
                lines[at] = f"{key} = {dice.choice(_WRITTEN)}" if equals else lines[at]
            return "\n".join(lines).encode(errors="surrogatepass")
        case _:
            names = [*options(), "web", "web.port.x", "x.y", "camera"]
            made = [f"{dice.choice(names)} = {dice.choice(_WRITTEN)}" for _ in range(dice.randint(0, 5))]
            return "\n".join(made).encode(errors="surrogatepass")


def _variables(dice: Random) -> dict[str, str]:
    names = [f"VITCAM_{option.section}_{option.key}".upper() for option in options().values()]
    names += [
        "VITCAM_",
        "VITCAM__",
        "VITCAM_WEB",
        "VITCAM_WEB_",
        "VITCAM_WBE_PORT",
        "VITCAM_IMAGE_TAG",
        "VITCAM_WEB_PORT_X",
    ]
    return {dice.choice(names): dice.choice(_VALUES) for _ in range(dice.choice((0, 0, 1, 2)))}


def _sets(dice: Random) -> list[str]:
    names = [*options(), *sections(), "", ".", "web.", ".port", "web.prot", "wbe.port", "a.b.c"]
    ends = ("=", " = ", "", "==")
    return [dice.choice(names) + dice.choice(ends) + dice.choice(_VALUES) for _ in range(dice.choice((0, 0, 1, 2)))]
