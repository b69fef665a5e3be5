"""The start of a run: a network with foreign weights and a new head, or one from scratch, and what is known of it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module  # TensorFlow's package may be called tensorflow-cpu; the module tells anyway
from pathlib import Path
from typing import Any

import keras

from vitcam.errors import UsageError
from vitcam_training.config import ViTConfig
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import Dataset
from vitcam_training.fit.data_parallel import computer
from vitcam_training.fit.distil import Teacher, read_teacher
from vitcam_training.fit.loop import WEIGHTS, FitRun
from vitcam_training.fit.remaining import StageWork
from vitcam_training.fit.session import Session
from vitcam_training.fit.stage import Stage, work
from vitcam_training.model_card.commands import TRAINED_BY
from vitcam_training.model_card.page import LIMITS
from vitcam_training.provenance import revision
from vitcam_training.recipes.recipe import DistilRecipe, Recipe, fingerprint
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import Weights, carried_head, load_into, read_network, to_timm
from vitcam_training.weights.metadata import FROM_SCRATCH, Metadata, read_metadata, stored_metadata
from vitcam_training.weights.mimetic import start_mimetic
from vitcam_training.weights.normalisation import Normalisation

log = logging.getLogger(__name__)


def train(
    recipe: Recipe,
    weights: Path | None,
    folder: Path,
    dataset: Dataset | None = None,
    session: Session | None = None,
    teacher: Path | None = None,
    command: str = "",
    normalisation: Normalisation | None = None,
) -> list[FitRun]:
    """Train every stage of a recipe, or continue where it stopped; the last stage's run lies in `folder` itself.

    weights        a pretrained network to fine-tune; None: train from scratch
    dataset        what to train and test on; None: what the recipe names
    teacher        a checkpoint of vitcam-train whose soft labels are learned, too
    command        that does all this, for the card
    normalisation  of foreign weights, which do not tell it
    returns        the runs of all stages, in order
    raises         UsageError if data or weights are missing or do not fit; Stopped if the session ends it early, saved
    """
    dataset = dataset or opened(recipe)
    log.info("training on %s photos of %s", f"{len(dataset.parts['train']):,}", dataset.name)
    runs: list[FitRun] = []
    stages = [replace(stage, data=recipe.data, called=recipe.called, about=recipe.about) for stage in recipe.before]
    folders = [folder / f"stage{i}" for i in range(1, len(stages) + 1)]
    earlier: dict[str, Any] = {TRAINED_BY: command} if command else {}
    history: dict[str, list[float]] = {}
    origin = weights
    for stage, its_folder in zip([*stages, recipe], [*folders, folder], strict=True):
        later = [work(each, dataset) for each in [*stages, recipe][len(runs) + 1 :]]
        begun = normalisation if not runs else None  # later stages begin with a checkpoint, which tells it
        runs.append(
            prepare(
                stage, weights, its_folder, dataset, earlier, history, teacher, later,
                normalisation=begun, origin=origin,
            )
        )  # fmt: skip
        runs[-1].train(session)
        weights = its_folder / WEIGHTS
        about = read_metadata(weights)
        earlier |= {name: about.provenance[name] for name in ("began_with", "epochs", "hours")}
        history = about.history
    return runs


def prepare(
    recipe: Recipe,
    weights: Path | None,
    folder: Path,
    dataset: Dataset | None = None,
    earlier: dict[str, Any] | None = None,
    history: dict[str, list[float]] | None = None,
    teacher: Path | None = None,
    later: Sequence[StageWork] = (),
    scaled: bool = True,
    normalisation: Normalisation | None = None,
    origin: Path | None = None,
) -> FitRun:
    """The run of one stage, ready to train, or to continue where the one in `folder` stopped.

    weights        a pretrained network to fine-tune; None: train from scratch
    dataset        what to train and test on; None: what the recipe names
    earlier        of the stages before it: `began_with`, `epochs` and `hours`
    history        the figures of their epochs
    teacher        a checkpoint of vitcam-train whose soft labels are learned, too
    later          the stages after it
    scaled         False: attention scores are not divided by √d_k
    normalisation  of foreign weights, which do not tell it
    origin         what the first stage began with; None: `weights`
    raises         UsageError if data, weights or teacher are missing or do not fit
    """
    dataset = dataset or opened(recipe)
    if teacher and not recipe.distil:
        recipe = replace(recipe, distil=DistilRecipe())
    check_teacher(recipe, teacher)
    vit = start(recipe, dataset, weights, scaled, normalisation)
    taught = read_teacher(teacher, dataset, recipe.train.precision) if teacher else None
    known = provenance(recipe, weights) | (earlier or {})
    if taught and recipe.distil:
        known |= {"teacher": taught.path.name, "taught_by": taught.name(recipe.distil)}
    about = Metadata(
        name=recipe.model_name,
        description=recipe.about.description or _shortened(dataset.labels),
        labels=dataset.labels,
        input=recipe.spec,
        trained_on=photos_seen(recipe, dataset, weights, taught),
        licence=recipe.about.licence,
        provenance=known,
        history=history or {},
    )
    kept = _origin(recipe, origin or weights, normalisation)
    return FitRun(Stage(vit, dataset, recipe, folder, about, taught, tuple(later), kept))


def _origin(recipe: Recipe, weights: Path | None, normalisation: Normalisation | None) -> Weights | None:
    """The weights of which those that ship keep a share, at the size of the recipe's input."""
    if not (weights and recipe.train.start_share):
        return None
    config, given = read_network(weights, recipe.model.image_size, normalisation)
    own = ViT(config)
    load_into(own, given)
    return to_timm(own)


def check_teacher(recipe: Recipe, teacher: Path | None) -> None:
    """Raises UsageError if the recipe, or a stage before it, needs a teacher and has none."""
    if not teacher and any(stage.distil for stage in (*recipe.before, recipe)):
        raise UsageError(f"the recipe {recipe.name} needs a teacher; give its checkpoint with --teacher")


def opened(recipe: Recipe) -> Dataset:
    """The photos that a recipe names. Raises UsageError if it names none, or they have no labels."""
    if not recipe.data:
        raise UsageError(f"the recipe {recipe.name} names no photos; give a folder of LABEL/photo.jpg with --data")
    log.info("reading the photos of %s", recipe.data)
    dataset = open_dataset(recipe.data)
    if not dataset.labels:
        raise UsageError(f"{dataset.name} has no labels, so nothing can be learned from it alone; give other photos")
    return dataset


def last_blocks(recipe: Recipe, weights: Path, count: int, normalisation: Normalisation | None = None) -> Recipe:
    """The recipe with the head and the last `count` blocks of the network to be trained, in all of its stages.

    raises  UsageError if the network has fewer blocks
    """
    depth = read_network(weights, recipe.model.image_size, normalisation)[0].depth
    if count > depth:
        raise UsageError(f"{weights} has {depth} blocks; --blocks takes 0 to {depth}, not {count}")
    stages = tuple(_with_frozen(stage, depth - count) for stage in recipe.before)
    return replace(_with_frozen(recipe, depth - count), before=stages)


def lasting(recipe: Recipe, epochs: int | None) -> Recipe:
    """The recipe with another number of epochs, of which warm-up and fall of the learning rate keep their shares.

    epochs  None: as many as the recipe says
    raises  UsageError if it has several stages
    """
    if epochs is None:
        return recipe
    if recipe.before:
        raise UsageError(
            f"the recipe {recipe.name} has several stages, and --epochs is for one; set the epochs of each in a copy "
            "of its file"
        )
    train = recipe.train
    share = epochs / train.epochs
    changed = replace(
        train,
        epochs=epochs,
        warmup_epochs=share * train.warmup_epochs,
        schedule_epochs=train.schedule_epochs and max(1, round(share * train.schedule_epochs)),
        step_epochs=max(1, round(share * train.step_epochs)),
    )
    return replace(recipe, train=changed)


def _with_frozen(recipe: Recipe, blocks: int) -> Recipe:
    return replace(recipe, train=replace(recipe.train, frozen_blocks=blocks))


def _shortened(labels: tuple[str, ...]) -> str:
    return ", ".join(labels[:6]) + (f" and {len(labels) - 6} more" if len(labels) > 6 else "")


def photos_seen(
    recipe: Recipe, dataset: Dataset, weights: Path | None, teacher: Teacher | None
) -> tuple[dict[str, str], ...]:
    """Every set of photos that the network learns from: its own, those of the weights it begins with, its teacher's.

    A recipe that lists any lists its own and those of the weights.
    """
    listed = list(recipe.about.trained_on)
    if not listed:
        count = len(dataset.parts["train"])
        listed = [{"data": f"{dataset.name}, {count:,} photos", "licence": "not stated", "source": "the trainer's own"}]
        began = stored_metadata(weights) if weights else None
        listed += began.trained_on if began else ()
    listed += teacher.about.trained_on if teacher else ()
    return tuple(photos for i, photos in enumerate(listed) if photos not in listed[:i])


def start(
    recipe: Recipe,
    dataset: Dataset,
    weights: Path | None,
    scaled: bool = True,
    normalisation: Normalisation | None = None,
) -> ViT:
    """The network that a run begins with.

    dataset        whose labels the head has; a head that knows others, or these in another order, is replaced, and
                   begins with the rows of those that it knows by their WordNet ids
    weights        a pretrained network: its sizes and its normalisation count; the recipe's input size and what
                   training drops stay, and a new head is as the recipe says. None: from scratch
    scaled         False: attention scores are not divided by √d_k
    normalisation  of foreign weights, which do not tell it
    raises         UsageError if the weights are missing or of no network that this can build, or if their
                   normalisation is unknown
    """
    keras.utils.set_random_seed(recipe.seed)
    policy = keras.dtype_policies.DTypePolicy(recipe.train.precision)
    labels = dataset.labels
    if weights is None:
        model = ViT(recipe.model.config(len(labels)), scaled, dtype=policy)
        if recipe.train.start == "mimetic":
            start_mimetic(model, recipe.seed)
        return model
    found, given = read_network(weights, recipe.model.image_size, normalisation)
    known = stored_metadata(weights)
    others = bool(known and (known.labels != labels or known.rows))
    carried = bool(known and others and any(synset in dataset.synsets for synset in known.synsets))
    new_head = not carried and (others or found.classes != len(labels))
    if known and carried:
        given |= carried_head(given, known.synsets, dataset)
    config = _changed(found, recipe, len(labels), new_head)
    model = ViT(config, scaled, dtype=policy)
    load_into(model, given, new_head)
    return model


def _changed(found: ViTConfig, recipe: Recipe, classes: int, new_head: bool) -> ViTConfig:
    """A pretrained network with what is the recipe's to say. Raises UsageError if it cannot have that."""
    own = recipe.model
    dropped = {name: getattr(own, name) for name in ("dropout", "attention_dropout", "drop_path")}
    try:
        hidden = own.head_hidden if new_head else found.head_hidden
        return replace(found, classes=classes, head_hidden=hidden, **dropped)
    except ValueError as error:
        raise UsageError(f"the recipe {recipe.name} does not fit the weights: {error}") from error


def provenance(recipe: Recipe, weights: Path | None) -> dict[str, Any]:
    """How the model was made, for its card."""
    backend = keras.backend.backend()
    return {
        "recipe": recipe.name,
        "fingerprint": fingerprint(recipe),
        "data": recipe.data,
        "began_with": weights.name if weights else FROM_SCRATCH,
        "seed": recipe.seed,
        "versions": {package: import_module(package).__version__ for package in ("keras", backend, "numpy")},
        "precision": recipe.train.precision,
        "revision": revision(),
        "machine": computer(),
        **({LIMITS: recipe.about.limits} if recipe.about.limits else {}),
    }
