"""The commands that cards, reports and closing hints print: quoted, and with paths that are right where they are run.

A path is absolute, so that the command runs from anywhere. In the root of a checkout paths stay as they were given:
cards that are made there are committed, and nobody else has that machine's folders.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vitcam.model.card import ModelCard
from vitcam.model.files import list_models
from vitcam_training.data.catalogue import DATASETS
from vitcam_training.weights.metadata import FROM_SCRATCH
from vitcam_training.weights.normalisation import Normalisation

TRAINED_BY, EXPORTED_BY, MEASURED_ON = "trained_by", "exported_by", "measured_on"
"""In the provenance of a card: the commands that made the model, and the photos of its figures as a command names
them."""
KEYS = (TRAINED_BY, EXPORTED_BY, MEASURED_ON)
CHECKOUT = Path(__file__).resolve().parents[2]


def path_word(path: Path | str) -> str:
    """A file or a folder as a command names it."""
    found = Path(path)
    if Path.cwd() != CHECKOUT:
        return str(found.absolute())
    return str(found.relative_to(CHECKOUT) if found.is_absolute() and found.is_relative_to(CHECKOUT) else found)


def data_word(data: str) -> str:
    """A data set by its name, or a folder or list of photos by its path."""
    return data if data in DATASETS else path_word(data)


def model_word(model: Path) -> str:
    """A model by its name where that finds this file, or else by its path."""
    named = list_models().get(model.stem)
    return model.stem if named and named.resolve() == model.resolve() else path_word(model)


def training(
    recipe: str,
    weights: Path | None,
    folder: Path,
    data: str | None,
    teacher: Path | None,
    normalisation: Normalisation | None = None,
    blocks: int | None = None,
    epochs: int | None = None,
) -> str:
    """`fit`, or with weights `finetune`."""
    begun = ["finetune", _recipe_word(recipe), "--weights", path_word(weights)] if weights else ["fit"]
    words = [*begun, *([] if weights else [_recipe_word(recipe)]), "--out", path_word(folder)]
    words += ["--data", data_word(data)] if data else []
    words += ["--teacher", path_word(teacher)] if teacher else []
    words += ["--blocks", str(blocks)] if blocks is not None else []
    words += ["--epochs", str(epochs)] if epochs is not None else []
    if normalisation:
        for option, values in (("--mean", normalisation.mean), ("--std", normalisation.std)):
            words += [option, ",".join(map(str, values))]
    return _joined(*words)


def exporting(checkpoint: Path, out: Path, data: str | None, *options: str) -> str:
    """`export` with further options as they are written."""
    photos = ["--data", data_word(data)] if data else []
    return _joined("export", path_word(checkpoint), "-o", path_word(out), *photos, *options)


def evaluating(model: Path, data: str, split: str, checkpoint: Path | None = None) -> str:
    """`evaluate --json`; with a checkpoint also against that."""
    against = ["--float", path_word(checkpoint)] if checkpoint else []
    return _joined("evaluate", model_word(model), "--data", data_word(data), "--split", split, "--json", *against)


def judging(model: Path, data: str, split: str) -> str:
    """The study of overlays, which is run in a checkout."""
    study = ("python", "-m", "vitcam_training.study.faithfulness")
    return shlex.join([*study, model_word(model), "--data", data_word(data), "--split", split])


def measured_on(card: ModelCard) -> str:
    """What `--data` takes for the photos of a card's figures; empty where it has none."""
    return str(card.provenance.get(MEASURED_ON) or card.accuracy.get("data") or "")


def made_by(model: Path, card: ModelCard) -> list[str]:
    """The commands that trained and exported a model, as far as it tells."""
    facts = card.provenance
    kept = [str(facts[key]) for key in (TRAINED_BY, EXPORTED_BY) if key in facts]
    return kept or _guessed(model, card.name, facts)


def _guessed(model: Path, name: str, facts: Mapping[str, Any]) -> list[str]:
    """Of models from before they kept the commands: by their recipe; a name of its own comes from `--data`."""
    recipe, began_with = facts.get("recipe"), facts.get("began_with")
    if not (recipe and began_with):
        return []
    weights = None if began_with == FROM_SCRATCH else Path(began_with)
    folder = Path("runs", name)
    teacher = Path(facts["teacher"]) if "teacher" in facts else None
    data = facts.get("data") if name != recipe else None
    options = ["--golden", path_word(facts["golden"])] if "golden" in facts else []
    options += shlex.split(facts.get("export_options", ""))
    again = exporting(folder / "weights.safetensors", model, facts.get("data"), *options)
    return [training(recipe, weights, folder, data, teacher), again]


def _recipe_word(recipe: str) -> str:
    from vitcam_training.recipes.recipe import shipped_recipes

    return recipe if recipe in shipped_recipes() else path_word(recipe)


def _joined(*words: str) -> str:
    return shlex.join(["vitcam-train", *words])
