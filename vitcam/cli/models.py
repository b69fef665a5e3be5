"""What `vitcam models` prints."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from rich.table import Table

from vitcam.cli.model_memory import daemon_mb, fitting_pis_gb
from vitcam.errors import ModelError
from vitcam.model.bundle import read
from vitcam.model.classifier import Classifier
from vitcam.model.files import find_model, list_models
from vitcam.model.record import model_info, model_record
from vitcam.terminal.consoles import stdout_console

# a file that is damaged is not loaded
_UNCHANGED = "ok   the graph and the golden images are byte for byte as they were written"
_UNCHECKED = "?    the graph may be damaged: the file carries no checksum of it; export the model again to have one"
_SHOWN_NAMES = 120  # labels or groups
_FIRST = ("name", "description", "right", "memory", "fits_a_Pi_of", "input", "licence", "labels", "groups")
"""What most people want to know of a model; the rest is for those who compare networks."""
_IN_A_PIPE = 80  # columns


def show_list(as_json: bool) -> None:
    """Every installed model, one a line; for a file that cannot be read, the reason."""
    heads = ("model", "labels", "input", "top-1", "memory", "fits a Pi of", "file")
    console, table = stdout_console(), Table(*heads, box=None)
    for name, path in list_models().items():
        row = _row(name, path)
        if as_json:
            console.print_json(json.dumps({"name": name, "file": str(path), **row}), indent=None)
        else:
            top1 = "" if row["top1"] is None else f"{row['top1']:.1%}"
            table.add_row(name, str(row["labels"]), row["input"], top1, *_memory(row), str(path))
    if not as_json:
        console.print(table, soft_wrap=False)


def show_card(name: str, as_json: bool) -> None:
    """Everything that is known of one model."""
    classifier = Classifier(name)
    record = model_record(model_info(classifier))
    console = stdout_console()
    if as_json:
        console.print_json(json.dumps(record | _needs(classifier.path)), indent=None)
        return
    table = Table(show_header=False, box=None)
    record["memory"], record["fits_a_Pi_of"] = _memory(_needs(classifier.path))
    record["groups"] = [group["name"] for group in record["groups"]]
    record["right"] = _right(record.get("accuracy") or {})
    for key in (*_FIRST, *(key for key in record if key not in _FIRST)):
        value = record[key]
        table.add_row(key.replace("_", " "), _names(value) if key in ("labels", "groups") else _plain(value))
    in_a_pipe = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    console.print(table, soft_wrap=False, width=_IN_A_PIPE if in_a_pipe else None)


def show_verification(name: str, as_json: bool) -> bool:
    """Classify the golden images; False if an answer differs from the one in the model file."""
    classifier = Classifier(name)
    results = classifier.verify()
    if not results:
        raise ModelError(
            f"{classifier.path} carries no golden images to verify it with; vitcam-train export takes them from a "
            "folder by --golden"
        )
    console, checksum = stdout_console(), classifier.card.graph_sha256
    for result in results:
        if as_json:
            expected, found = result.expected and result.expected.label, result.found
            record = {"image": result.name, "ok": result.ok, "expected": expected, "found": found.label, "p": found.p}
            record |= {"known": result.known, "graph_sha256": checksum or None}
            console.print_json(json.dumps(record), indent=None)
        else:
            word = "ok  " if result.ok else "FAIL"
            console.print(f"{word} {result.name}: {result.answer}, expected {result.right_answer}")
    if not as_json:
        console.print(_UNCHANGED if checksum else _UNCHECKED)
    return all(result.ok for result in results)


def _row(name: str, path: Path) -> dict[str, Any]:
    nothing = {"labels": 0, "input": "", "top1": None, "memory_mb": None, "fits_gb": []}
    try:
        bundle = read(find_model(name))
        found = nothing | _needs(path)
    except (ModelError, OSError) as error:
        return nothing | {"error": str(error)}
    if bundle is None:
        return found
    size = f"{bundle.card.input.width}×{bundle.card.input.height}"
    return found | {"labels": len(bundle.labels), "input": size, "top1": bundle.card.accuracy.get("top1")}


def _needs(path: Path) -> dict[str, Any]:
    size = path.stat().st_size
    return {"memory_mb": round(daemon_mb(size)), "fits_gb": fitting_pis_gb(size)}


def _memory(row: dict[str, Any]) -> tuple[str, str]:
    """For people: how much, and the smallest Raspberry Pi that has it."""
    if row["memory_mb"] is None:
        return "", ""
    return f"{row['memory_mb']:,} MB", f"{row['fits_gb'][0]} GB and more" if row["fits_gb"] else "none"


def _right(accuracy: dict[str, Any]) -> str:
    """The figure that people ask for first, and on what it was taken."""
    if "top1" not in accuracy:
        return "not measured"
    return f"{accuracy['top1']:.1%} of {accuracy['n']:,} held-out photos ({accuracy['data']})"


def _names(names: list[str]) -> str:
    rest = f" and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
    return f"{len(names)}: {', '.join(names[:_SHOWN_NAMES])}{rest}" if names else "none"


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return "; ".join(_plain(inner) for inner in value)
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)
