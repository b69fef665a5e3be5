"""Which network a name or a file means."""

from pathlib import Path

from vitcam.errors import ModelError, UsageError
from vitcam.model.files import find_model, list_models
from vitcam_training.config import ViTConfig
from vitcam_training.recipes.presets import PRESETS
from vitcam_training.weights.checkpoints import read_network


def network_of(name_or_file: str) -> tuple[str, ViTConfig]:
    """A name for people, and the sizes and choices.

    raises  UsageError for what is neither a model with weights, a file with weights, nor published sizes
    """
    if name_or_file in PRESETS:
        return name_or_file, PRESETS[name_or_file].config
    path = Path(name_or_file)
    if path.suffix != ".safetensors":
        path = _weights_of(name_or_file)
    return path.stem, read_network(path)[0]


def _weights_of(model: str) -> Path:
    try:
        path = find_model(model).with_suffix(".safetensors")
    except ModelError:
        known = ", ".join([*list_models(), *PRESETS])
        raise UsageError(f"no network is called {model!r}; give a .safetensors file or one of: {known}") from None
    if not path.exists():
        raise UsageError(f"{path} is not there, and only weights say how a network is made; name a .safetensors file")
    return path
