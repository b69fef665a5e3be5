"""Putting a model's files where they are used: whole, and never a weaker model in place of a better one by hope."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from vitcam.errors import ModelError, UsageError, VitcamError
from vitcam.model import bundle
from vitcam.model.bundle import Bundle
from vitcam.model.card import ModelCard
from vitcam.storage.files import put_in_place, temporary_folder
from vitcam_training.evaluation.answers import KEPT, chosen_by
from vitcam_training.model_card.attempts import Attempt, listed, with_attempts
from vitcam_training.model_card.page import write_card
from vitcam_training.provenance import revision

MOST_LOST = 0.01
"""Of the photos that a network knew when its training began, so many more may be wrong than become right."""

log = logging.getLogger(__name__)


class WeakerModel(VitcamError):
    """What was exported is right less often than what lies there, which stays."""

    def __init__(self, message: str, card: ModelCard) -> None:
        super().__init__(message)
        self.card = card
        """Of what was exported."""


class ForgetfulModel(WeakerModel):
    """What was exported knows less than the network that its training began with; what lies there stays."""


def publish(
    make: Callable[[Path], ModelCard], out: Path, note: str = "", anyway: bool = False, source: Path | None = None
) -> ModelCard:
    """Make the files of a model, then put them in place, card and all, unless a better one of its labels lies there.

    A model that lies there hands its list of attempts on; one that is better, by the photos that the new one was
    measured on, stays as it is but for a line in its card.

    make     writes `NAME.tflite` to a place and what belongs to it beside that, and returns its card
    out      where `NAME.tflite` is to be
    note     what was done otherwise this time, for the list
    anyway   a weaker model, or one that was not measured, is put in place, too, and in the place of other files
    source   what it is made from, which stays as it is where it has the name of a file that is made
    returns  the card as it is in the file now
    raises   UsageError if `out` can be no model file, or other files have the names, or if the model that lies there
             was measured and the new one was not; WeakerModel; ForgetfulModel if it lost more than one point of what
             it knew when its training began
    """
    _check_place(out)
    if not anyway:
        _refuse_others(out, source)
    with temporary_folder(out.parent, "export") as folder:
        made = folder / out.name
        card = make(made)
        there = _same_model(out, made)
        attempt = Attempt.from_card(card, made.stat().st_size, datetime.now(UTC).strftime("%Y-%m-%d"), note, revision())
        earlier = [each for each in _earlier(there) if not attempt.again(each)]
        if not anyway:
            _refuse_forgetful(out, card)
        if there and not anyway:
            _refuse_unmeasured(there, card)
            if _weaker(there.card, card):
                _record(out, with_attempts(there.card, [*earlier, replace(attempt, taken=False)]))
                raise WeakerModel(_stays(out, there.card, card), card)
        for path in sorted(folder.iterdir()):
            target = out.with_name(path.name)
            if not _is(source, target):
                put_in_place(path, target, over=True)
    card = with_attempts(card, [*earlier, attempt])
    _record(out, card)
    return card


def _check_place(out: Path) -> None:
    if out.suffix != ".tflite" or out.is_dir():
        raise UsageError(f"{out} is not a .tflite file; name one with -o, the other files are written beside it")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{out.parent} is not a folder ({error.strerror}); name a file in a folder with -o") from error
    if not os.access(out.parent, os.W_OK | os.X_OK):
        raise UsageError(f"{out.parent} is not writable; name a file in another folder with -o")


def _refuse_others(out: Path, source: Path | None) -> None:
    """What stands beside a model of vitcam was exported with it. Anything else belongs to somebody."""
    if _model_at(out) is not None:
        return
    for path in (out, *(out.with_suffix(suffix) for suffix in (".md", ".safetensors"))):
        if path.exists() and not _is(source, path):
            raise UsageError(f"{path} exists, and no export made it: name another file with -o, or give --replace")


def _is(source: Path | None, path: Path) -> bool:
    return source is not None and path.exists() and source.samefile(path)


def _model_at(path: Path) -> Bundle | None:
    """The model of vitcam there; None if there is none."""
    try:
        return bundle.read(path) if path.is_file() else None
    except ModelError:
        return None


def _same_model(out: Path, made: Path) -> Bundle | None:
    """What lies there, if it is a model of the same name and labels."""
    there, new = _model_at(out), _model_at(made)
    if there and new and (there.card.name, sorted(there.labels)) == (new.card.name, sorted(new.labels)):
        return there
    return None


def _earlier(there: Bundle | None) -> tuple[Attempt, ...]:
    if there is None:
        return ()
    return listed(there.card) or (Attempt.from_card(there.card, there.path.stat().st_size),)


def _refuse_forgetful(out: Path, card: ModelCard) -> None:
    kept = card.accuracy.get(KEPT)
    if kept and kept["difference"] < -MOST_LOST:
        raise ForgetfulModel(
            f"{out} was not written: of the {kept['n']:,} photos of {kept['data']}, part {kept['split']}, whose labels "
            f"the network knew when its training began, it is right on {kept['top1']:.1%}, and it was right on "
            f"{kept['began_with']:.1%}; {100 * MOST_LOST:g} point less is allowed. Give the added labels less weight, "
            "or put it there all the same with --replace",
            card,
        )


def _refuse_unmeasured(there: Bundle, card: ModelCard) -> None:
    if there.card.accuracy and not card.accuracy:
        raise UsageError(
            f"{there.path} was measured and this was not, so it is not known which is better: give --data "
            f"{there.card.accuracy['data']}, or --replace to replace it anyway"
        )


def _weaker(there: ModelCard, new: ModelCard) -> bool:
    """Whether the new file is right less often on the same photos; other photos say nothing, and that is logged."""
    before, now = chosen_by(there.accuracy), chosen_by(new.accuracy)
    if not before:
        return False
    if any(before.get(name) != now[name] for name in ("data", "split", "n")):
        log.warning(
            "%s was measured on %s photos of %s, now there are %s of %s: the two are not compared",
            there.name, before.get("n"), before.get("data"), now["n"], now["data"],
        )  # fmt: skip
        return False
    return bool(now["top1"] < before["top1"])


def _stays(out: Path, there: ModelCard, new: ModelCard) -> str:
    before, now = chosen_by(there.accuracy), chosen_by(new.accuracy)
    return (
        f"{out} stays, its card has a line on this attempt: it is right on {before['top1']:.2%} of the {before['n']:,} "
        f"photos of {before['data']}, part {before['split']}, the new model on {now['top1']:.2%}; "
        "--replace puts that there all the same, another name behind -o keeps both"
    )


def _record(out: Path, card: ModelCard) -> None:
    bundle.amend(out, provenance=card.provenance)
    write_card(out, card)
