"""A ViT/16 of random weights with 1000 labels, saved as transformers saves it: for speed and memory of larger networks.

python -m tests.bench.peers.random_vit Ti|S|B FOLDER
"""

import json
import sys
from pathlib import Path

from tests.bench.peers.material import MEAN_RGB, STD_RGB
from tests.bench.pretrained.catalogue import hf_vit
from tests.bench.pretrained.saved import without_torchvision


def write(size: str, folder: Path) -> None:
    """Weights of the size that training gives them: the library's own let no photo matter."""
    import torch

    torch.manual_seed(0)
    model = hf_vit(size, 16, 224)().eval()
    with torch.no_grad():
        for values in model.parameters():
            if values.ndim in (2, 4):
                values.copy_(torch.randn(values.shape) * values[0].numel() ** -0.5)
    model.save_pretrained(folder)
    pixels = {"image_mean": MEAN_RGB.tolist(), "image_std": STD_RGB.tolist(), "size": {"height": 224, "width": 224}}
    about = {"image_processor_type": "ViTImageProcessor", "do_rescale": True, "do_normalize": True, **pixels}
    (folder / "preprocessor_config.json").write_text(json.dumps(about))


if __name__ == "__main__":
    without_torchvision()
    write(sys.argv[1], Path(sys.argv[2]))
