"""`vitcam bench`: a table with a column for each number of threads, or JSON."""

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.cli.options import model_names
from vitcam.model.files import DEFAULT
from vitcam.terminal.consoles import progress_bar, stdout_console

if TYPE_CHECKING:
    from rich.table import Table

    from vitcam.benchmark.measure import Step
    from vitcam.benchmark.report import HotMinute, MachineHealth
    from vitcam.benchmark.row import BenchRow

_KINDS = {"model": "the model", "int8": "the int8 peak", "floating": "the float peak"}


def bench(
    model: Annotated[
        str | None, typer.Argument(help="Use this model: a name, or a .tflite file.", autocompletion=model_names)
    ] = None,
    threads: Annotated[
        str | None,
        typer.Option(
            "--threads", help="Measure with these numbers of threads, such as 1,2,4.", show_default="all cores"
        ),
    ] = None,
    report: Annotated[
        bool,
        typer.Option("--report", help="Print the machine, its versions and minutes of full load, to send to others."),
    ] = False,
    minutes: Annotated[float, typer.Option("--minutes", help="With --report: how long the full load lasts.")] = 10.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON list of rows, an object with --report.")
    ] = False,
) -> None:
    """Measure a model here: latency, frames/s, memory, and what this machine could reach."""
    from vitcam.benchmark.measure import ROUNDS, BenchPlan, read_threads, run_bench
    from vitcam.benchmark.report import check_minutes, hot_minutes, machine_facts
    from vitcam.machine import Machine

    plan = BenchPlan(model or DEFAULT, read_threads(threads))
    machine, out = Machine(os.environ), stdout_console()
    if report:
        check_minutes(minutes)
    with progress_bar() as progress:
        task = progress.add_task("starting", total=None)

        def announce(number: int, count: int, step: "Step") -> None:
            words = f"round {step.round} of {ROUNDS}, {_threads(step.threads)}: {_KINDS[step.kind]}"
            progress.update(task, description=words, completed=number, total=count)

        def announce_minute(number: int, count: int) -> None:
            progress.update(task, description="full load", completed=number, total=count)

        rows = run_bench(plan, announce)
        load = hot_minutes(plan, machine, minutes, announce_minute) if report else []
    lines = [asdict(row) for row in rows]
    if as_json and report:
        found = {"machine": machine_facts(machine), "rows": lines, "minutes": [asdict(minute) for minute in load]}
        out.print_json(json.dumps(found), indent=None)
    elif as_json:
        out.print_json(json.dumps(lines), indent=None)
    elif report:
        for table in (facts_table(machine_facts(machine)), bench_table(rows), load_table(load, max(plan.threads))):
            out.print(table, "")
    else:
        out.print(bench_table(rows))


def facts_table(facts: dict[str, str]) -> "Table":
    """A line for each fact."""
    from rich.table import Table

    table = Table(box=None, show_header=False)
    for name, text in facts.items():
        table.add_row(name, text)
    return table


def load_table(minutes: "list[HotMinute]", threads: int) -> "Table":
    """A line for each turn of the full load."""
    from rich.table import Table

    table = Table(f"full load, {_threads(threads)}", "frames/s", "p99 ms", "clock MHz", "machine", box=None)
    for column in table.columns[1:4]:
        column.justify = "right"
    for minute in minutes:
        clock = "–" if minute.clock_mhz is None else f"{minute.clock_mhz}"
        table.add_row(
            f"{minute.seconds:.0f} s", f"{minute.fps:.1f}", f"{minute.p99_ms:.2f}", clock, _readings(minute.health)
        )
    return table


def bench_table(rows: "list[BenchRow]") -> "Table":
    """A column for each number of threads of one model."""
    from rich.table import Table

    table = Table(rows[0].model, *(_threads(row.threads) for row in rows), box=None)
    for column in table.columns[1:]:
        column.justify = "right"
    for name, cell in _CELLS.items():
        table.add_row(name, *(cell(row) for row in rows))
    return table


_CELLS: dict[str, Callable[["BenchRow"], str]] = {
    "p50 ms": lambda row: f"{row.p50_ms:.2f}",
    "p90 ms": lambda row: f"{row.p90_ms:.2f}",
    "p99 ms": lambda row: f"{row.p99_ms:.2f}",
    "frames/s": lambda row: f"{row.fps:.1f}",
    "memory MB": lambda row: f"{row.rss_mb:.0f}",
    "XNNPACK partitions": lambda row: f"{row.partitions}",
    "operators outside": lambda row: f"{row.outside}",
    "roofline ms": lambda row: "–" if row.roofline_ms is None else f"{row.roofline_ms:.2f}",
    "reached": lambda row: "–" if row.fraction is None else f"{row.fraction:.0%}",
}


def _readings(health: "MachineHealth") -> str:
    words = [] if health.celsius is None else [f"{health.celsius:.0f} °C"]
    now, since_boot = health.held_back_by or [], health.since_boot or []
    return ", ".join([*words, *now, *(f"{each} since the boot" for each in since_boot if each not in now)])


def _threads(number: int) -> str:
    return "1 thread" if number == 1 else f"{number} threads"
