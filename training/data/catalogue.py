"""Every data set that a command can name, in one table; besides those, any folder or list of photos."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from vitcam.errors import UsageError
from vitcam_training.data.blank import blank
from vitcam_training.data.dataset import ALL, Dataset
from vitcam_training.data.folder import list_folder
from vitcam_training.data.manifest import list_manifest
from vitcam_training.data.no_thing import no_thing
from vitcam_training.data.published.cifar10 import cifar10
from vitcam_training.data.published.everyday import everyday, everyday_before
from vitcam_training.data.published.imagenet import cifar10_photos, imagenet, imagenet_things
from vitcam_training.data.published.left_out import draws
from vitcam_training.data.published.mnist import mnist
from vitcam_training.data.published.ordinary import (
    ordinary,
    ordinary_both,
    ordinary_drawn,
    ordinary_infrared,
    ordinary_night,
)
from vitcam_training.data.published.people import people
from vitcam_training.data.published.persons import persons
from vitcam_training.data.user_photos import ListedPhoto, to_measure, to_train

DATASETS: dict[str, Callable[[], Dataset]] = {
    "blank": blank,
    "cifar10": cifar10,
    "cifar10-photos": cifar10_photos,
    "everyday": everyday,
    "everyday-before": everyday_before,
    "imagenet": imagenet,
    "imagenet-things": imagenet_things,
    "mnist": mnist,
    "no-thing": no_thing,
    "ordinary": ordinary,
    "ordinary-both": ordinary_both,
    "ordinary-drawn": ordinary_drawn,
    "ordinary-infrared": ordinary_infrared,
    "ordinary-night": ordinary_night,
    "people": people,
    "persons": persons,
    **draws(),
}


def open_dataset(name: str) -> Dataset:
    """A data set by its name in the table, a folder of photos or a CSV file that lists some, to train on.

    raises  UsageError if there is none of them, or too little to train on
    """
    return DATASETS[name]() if name in DATASETS else to_train(_called(name), _listed(name))


def check_there(name: str) -> None:
    """Refuse what is no data set and no folder or list that is there, before anything is loaded. Raises UsageError."""
    if name not in DATASETS and not Path(name).exists():
        raise UsageError(f"no data set and no folder is called {name!r}; give a folder of LABEL/photo.jpg")


def open_to_measure(name: str, part: str | None = None, trained_on: str = "") -> tuple[Dataset, str]:
    """The same to measure a model on, and the part that gives the figures.

    part        as asked for; None: what is held out, or all photos of a folder or a list that makes no split
    trained_on  what the model was trained on: of that data, only the part that was held out then is measured
    """
    if name in DATASETS:
        return DATASETS[name](), part or "heldout"
    photos = _listed(name)
    if any(photo.part for photo in photos):
        return to_measure(_called(name), photos), part or "heldout"
    if part == ALL or (part is None and not (trained_on and _called(trained_on) == _called(name))):
        return to_measure(_called(name), photos), ALL
    return to_train(_called(name), photos), part or "heldout"


def _listed(name: str) -> list[ListedPhoto]:
    return list_manifest(Path(name)) if name.lower().endswith(".csv") else list_folder(Path(name))


def _called(name: str) -> str:
    """What a data set is called in figures and cards: `photos` for `../my/photos/` and `../my/photos.csv`."""
    return Path(name).resolve().stem if name.lower().endswith(".csv") else Path(name).resolve().name
