"""Recipes: everything that decides how a model is trained, in one frozen value read from one TOML file."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, is_dataclass, replace
from importlib.resources import files
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from vitcam.errors import UsageError
from vitcam.pictures.resize import InputSpec
from vitcam.storage.reading import text_of
from vitcam_training.config import ANY, ViTConfig, check_ranges
from vitcam_training.data.augment import Augment
from vitcam_training.recipes.presets import preset

PRECISIONS = ("float32", "mixed_bfloat16")
OPTIMISERS = ("adamw", "muon")
STARTS = ("random", "mimetic")
SCHEDULES = ("cosine", "linear", "step", "constant")

T = TypeVar("T")


@dataclass(frozen=True)
class ModelRecipe(ViTConfig):
    """A network that is trained from scratch, its labels left to the data; fine-tuning takes most from its weights.

    A TOML may begin with `preset = "digits"`, a row of `presets.py`: what it names besides is changed of that row.
    """

    classes: int = field(default=1, init=False)

    def config(self, classes: int) -> ViTConfig:
        """The network for that many labels."""
        return ViTConfig(**asdict(self) | {"classes": classes})


@dataclass(frozen=True)
class InputRecipe:
    """How pictures are cropped and resized outside training; see vitcam.pictures.resize."""

    resize: str = "crop"
    crop_fraction: float = 1.0
    interpolation: str = "area"
    brighten: float = 0.0
    """The mean brightness, 0 to 1, that darker pictures are raised to; 0: none is."""


@dataclass(frozen=True)
class TrainRecipe:
    """The optimiser's side. Rates are for the head; steps count batches."""

    epochs: int = 10
    warmup_epochs: float = 1.0
    """In which the learning rate rises from 0; then it does what `schedule` says."""
    schedule: str = "cosine"
    """`cosine`: it falls along half a cosine to 0; `linear`: it falls evenly to 0; `step`: it is multiplied by
    `step_factor` after every `step_epochs`; `constant`: it stays."""
    step_epochs: int = 1
    step_factor: float = 0.7
    schedule_epochs: int = 0
    """Over which the learning rate falls, where training ends before it has fallen; 0: `epochs`."""
    final_rate: float = 0.0
    """What `cosine` and `linear` fall to."""
    rate_by_epoch: bool = False
    """The learning rate stays as it is until an epoch ends."""
    batch_size: int = 64
    per_label: int = 0
    """Photos of each label in an epoch, those of rare labels more than once, each changed differently. Use it where
    some labels have far more photos than others. 0: each photo once."""
    learning_rate: float = 5e-4
    layer_decay: float = 1.0
    """Factor on the learning rate from each layer to the one below."""
    weight_decay: float = 0.05
    optimiser: str = "adamw"
    """`muon` learns more from as many steps where a network begins from scratch."""
    start: str = "random"
    """What attention begins with where no weights are given: `mimetic` resembles what training makes of it."""
    decoupled: bool = True
    """AdamW's decay, beside the step; false: L2 in the gradient, to see the difference."""
    decay_all: bool = False
    """Norms, biases, class token and positions decay, too."""
    epsilon: float = 1e-7
    """Added to the root that Adam divides by."""
    clip_norm: float = 0.0
    """The gradient, all variables' as one vector, is shortened to this length where it is longer; 0: never."""
    label_smoothing: float = 0.1
    logit_adjustment: float = 0.0
    """How much of the logarithm of each label's share of the photos is added to its logit while it trains (Menon et
    al. 2021, arXiv 2007.07314). 1: the trained network expects all labels equally often; 0: as often as in training."""
    frozen_blocks: int = 0
    """Blocks, from the first on, that do not learn; above 0 the embeddings do not learn either."""
    replay: float = 0.0
    """Share of the photos of an epoch that come from the part `replay`: they have no labels, and count by the answers
    of the teacher."""
    blank: float = 0.0
    """Share of the pictures of an epoch that come from the part `blank`. They show nothing, and all labels are equally
    wrong for them (Hendrycks et al. 2019, arXiv 1812.04606)."""
    start_share: float = 0.0
    """What the shipped weights, all but the head's, keep of those that the whole training began with (WiSE-FT, Wortsman
    et al. 2022, arXiv 2109.01903)."""
    average: float = 0.0
    """What the running mean of the weights, which is scored and shipped, keeps of itself at each step."""
    patience: int = 0
    """Epochs without a smaller loss on the part `calibration` after which training ends; the weights of the best epoch
    are kept. 0: train to the end, and keep the last."""
    score_every: int = 1
    """Epochs from one scoring to the next, where that takes long; the last epoch is always scored."""
    precision: str = "float32"
    """Of the computation; weights are float32. `mixed_bfloat16` pays where the processor has instructions for it."""
    loader_threads: int = 1

    def __post_init__(self) -> None:
        """Raises ValueError for an invalid value."""
        check_ranges(
            self,
            {
                "epochs": (1, ANY), "warmup_epochs": (0, ANY), "batch_size": (1, ANY), "per_label": (0, ANY),
                "learning_rate": (0, ANY), "layer_decay": (0.01, 1), "weight_decay": (0, ANY), "clip_norm": (0, ANY),
                "logit_adjustment": (0, 2), "frozen_blocks": (0, ANY), "replay": (0, 0.95), "blank": (0, 0.5),
                "start_share": (0, 1), "label_smoothing": (0, 0.99), "average": (0, 0.999999), "patience": (0, ANY),
                "score_every": (1, ANY), "loader_threads": (1, 256), "step_epochs": (1, ANY), "step_factor": (0, 1),
                "schedule_epochs": (0, ANY), "final_rate": (0, ANY), "epsilon": (1e-12, 1),
            },
        )  # fmt: skip
        if self.replay + self.blank > 0.95:
            raise ValueError(f"replay {self.replay} and blank {self.blank} leave too few other photos; 0.95 is allowed")
        known = {"precision": PRECISIONS, "optimiser": OPTIMISERS, "start": STARTS, "schedule": SCHEDULES}
        for name, allowed in known.items():
            if (found := getattr(self, name)) not in allowed:
                raise ValueError(f"{name} is {found!r}; allowed: {', '.join(allowed)}")


@dataclass(frozen=True)
class DistilRecipe:
    """How the word of a teacher counts, which the command names (`--teacher`)."""

    weight: float = 0.5
    """Of the teacher's labels in the loss; the true labels have the rest."""
    temperature: float = 2.0
    """Divides both networks' logits: above 1 the teacher's lesser guesses count for more."""

    def __post_init__(self) -> None:
        """Raises ValueError for an invalid value."""
        check_ranges(self, {"weight": (0, 1), "temperature": (0.1, 100)})


@dataclass(frozen=True)
class OneLabelRecipe:
    """A label that has more photos than the others: all of a part of the data set count as so many photos of the part
    `train`, however many they are."""

    shown: float = 1.0
    """The photos of the label."""
    dark: float = 1.0
    """The same photos, as in the dark."""
    absent: float = 1.0
    """Those that do not show it."""
    depicted: float = 1.0
    """Those that only depict it."""
    altered: float = 1.0
    """Those of labels that stay, altered as these are."""

    def __post_init__(self) -> None:
        """Raises ValueError for an invalid value."""
        check_ranges(self, dict.fromkeys(("shown", "dark", "absent", "depicted", "altered"), (0, ANY)))


@dataclass(frozen=True)
class RowsRecipe:
    """Added labels as further rows of a head: the network and the rows that it has stay as they are. Nothing else of
    the recipe's training applies then. See vitcam_training.rows."""

    l2: float = 1.0
    """Of the weights of the added rows."""
    base_weight: float = 5.0
    """How much a photo of a label that stays counts, beside one of an added label."""
    per_label: int = 25
    """As how many photos all those of one label count at most."""
    one: OneLabelRecipe | None = None
    """Not None: the data set has a label with photos in parts of their own."""

    def __post_init__(self) -> None:
        """Raises ValueError for an invalid value."""
        check_ranges(self, {"l2": (0, ANY), "base_weight": (0, ANY), "per_label": (1, ANY)})


@dataclass(frozen=True)
class AboutRecipe:
    """What the model's card will say of it."""

    description: str = ""
    licence: str = ""
    trained_on: tuple[dict[str, str], ...] = ()
    """`data`, `licence`, `source` of each set of photos, those of the pretrained weights too."""
    limits: str = ""
    """Sentences on what this model in particular cannot do."""


@dataclass(frozen=True)
class Recipe:
    """One model's training, whole."""

    name: str
    data: str
    """Name of a data set, a folder of photos, or a list of them; empty: left to the command."""
    seed: int = 0
    backend: str = ""  # of Keras, which its figures were measured on: others draw other weights from a seed; empty: any
    called: str = ""
    """The model's name; empty: the recipe's."""
    about: AboutRecipe = field(default_factory=AboutRecipe)
    model: ModelRecipe = field(default_factory=ModelRecipe)
    input: InputRecipe = field(default_factory=InputRecipe)
    augment: Augment = field(default_factory=Augment)
    train: TrainRecipe = field(default_factory=TrainRecipe)
    distil: DistilRecipe | None = None
    """None: no teacher, or one with the defaults where the command names one."""
    rows: RowsRecipe | None = None
    """Not None: only rows for the labels that the weights lack are fitted."""
    before: tuple[Recipe, ...] = ()
    """Stages that are trained first, each going on with the weights of the one before: `[[before]]` in the TOML, which
    says what differs from the last stage, such as a smaller picture, with which a step takes less time."""

    def __post_init__(self) -> None:
        """Raises ValueError for a seed that NumPy does not take."""
        check_ranges(self, {"seed": (0, 2**32 - 1)})

    @property
    def model_name(self) -> str:
        """What the model is called."""
        return self.called or self.name

    @property
    def spec(self) -> InputSpec:
        """What the model file will say of its input."""
        return InputSpec(*self.model.image_size, **asdict(self.input))


def read_recipe(name: str | Path) -> Recipe:
    """A recipe by the name of one that ships with vitcam, or by its path.

    raises  UsageError if there is none, or if it holds an unknown name or a value of the wrong kind
    """
    shipped = files(__package__).joinpath(f"{name}.toml")
    source = shipped if shipped.is_file() else Path(name)
    if not source.is_file():
        known = ", ".join(shipped_recipes())
        raise UsageError(f"no recipe {str(name)!r}: give the path of a TOML file or one of: {known}")
    try:
        table = tomllib.loads(text_of(source.read_bytes()))
    except ValueError as error:
        raise UsageError(f"{source} is not a TOML file: {error}") from error
    if isinstance(table.get("model"), dict):
        table["model"] = _from_preset(table["model"])
    before = table.pop("before", [])
    return replace(_fill(Recipe, table, str(source)), before=_stages(table, before, str(source)))


def on_photos(recipe: Recipe, data: str) -> Recipe:
    """The recipe with other photos, without what it says about its own photos and without the name of their model."""
    if data == recipe.data:
        return recipe
    path = Path(data).resolve()
    return replace(recipe, data=data, called=path.stem if path.suffix == ".csv" else path.name, about=AboutRecipe())


def _stages(table: dict[str, Any], before: Any, where: str) -> tuple[Recipe, ...]:
    """The recipe again for every earlier stage, with what its own tables say instead."""
    if not isinstance(before, list) or not all(isinstance(stage, dict) for stage in before):
        raise UsageError(f"{where}: before is {before!r}; it must be [[tables]]")
    allowed = ("model", "input", "augment", "train", "distil")
    stages = []
    for stage in before:
        for name, part in stage.items():
            if name not in allowed or not isinstance(part, dict):
                raise UsageError(f"{where}: before: {name!r} is unknown; allowed: {', '.join(allowed)}, each a table")
        merged = {name: table.get(name, {}) | part for name, part in stage.items()}
        stages.append(_fill(Recipe, table | merged, f"{where}: before"))
    return tuple(stages)


def _from_preset(table: dict[str, Any]) -> dict[str, Any]:
    """The [model] table with the sizes of the preset that it names below its own."""
    if "preset" not in table:
        return table
    row = asdict(preset(str(table["preset"]), classes=1))
    row |= {name: list(value) for name, value in row.items() if isinstance(value, tuple)}  # as TOML has lists
    return {name: value for name, value in (row | table).items() if name not in ("preset", "classes")}


def shipped_recipes() -> list[str]:
    """Names of the recipes that come with vitcam."""
    entries = (entry.name for entry in files(__package__).iterdir())
    return sorted(name.removesuffix(".toml") for name in entries if name.endswith(".toml"))


def _fill(kind: type[T], table: dict[str, Any], where: str) -> T:
    """A dataclass from a TOML table: names must be known, values of the annotated kind."""
    hints = get_type_hints(kind)
    kinds = {f.name: hints[f.name] for f in fields(kind) if f.init}  # type: ignore[arg-type]
    for name in table:
        if name not in kinds:
            raise UsageError(f"{where}: {name!r} is unknown; allowed: {', '.join(kinds)}")
    values = {name: _value(kinds[name], value, f"{where}: {name}") for name, value in table.items()}
    try:
        return kind(**values)
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from error
    except TypeError:
        needed = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]  # type: ignore[arg-type]
        raise UsageError(f"{where}: required: {', '.join(needed)}; found {', '.join(values) or 'nothing'}") from None


def _value(kind: Any, value: Any, where: str) -> Any:
    if get_origin(kind) is UnionType:  # X | None: TOML has no None
        (kind,) = (part for part in get_args(kind) if part is not NoneType)
    if is_dataclass(kind):
        if not isinstance(value, dict):
            raise UsageError(f"{where} is {value!r}; it must be a [table]")
        return _fill(kind, value, where)  # type: ignore[arg-type]
    if kind is float and type(value) is int:
        return float(value)
    if get_origin(kind) is Literal:
        return value  # the dataclass knows what it allows, and says so
    if get_origin(kind) is tuple:
        return _tuple(get_args(kind), value, where)
    if type(value) is not kind:
        raise UsageError(f"{where} is {value!r}; its type must be {kind.__name__}")
    return value


def _tuple(kinds: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    """Two whole numbers, three numbers, or any number of tables of texts: the only tuples that recipes have."""
    if kinds == (float, float, float):
        if isinstance(value, list) and len(value) == 3 and all(type(part) in (int, float) for part in value):
            return tuple(float(part) for part in value)
        raise UsageError(f"{where} is {value!r}; it must be three numbers, for red, green and blue")
    if kinds == (int, int):
        if isinstance(value, list) and len(value) == 2 and all(type(part) is int for part in value):
            return tuple(value)
        raise UsageError(f"{where} is {value!r}; it must be two whole numbers")
    tables = value if isinstance(value, list) else [value]
    if all(isinstance(t, dict) and all(type(text) is str for text in t.values()) for t in tables):
        return tuple(tables)
    raise UsageError(f"{where} is {value!r}; it must be [[tables]] of texts")


def fingerprint(recipe: Recipe) -> str:
    """Of all that decides how a network is trained; an option that is added later and left alone does not change it."""
    return digits(chosen(replace(recipe, about=AboutRecipe(), backend="")))


def digits(settings: Any) -> str:
    """Eight digits for anything that JSON can write."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:8]


def chosen(value: Any) -> Any:
    """A recipe, or a part of one, as nested dicts of the fields that are not at their defaults."""
    if isinstance(value, tuple):
        return [chosen(part) for part in value]
    if not is_dataclass(value):
        return value
    return {f.name: chosen(v) for f in fields(value) if (v := getattr(value, f.name)) != _default(f)}


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default
