"""A camera that says what it sees and shows where it looked."""

from typing import TYPE_CHECKING, Any

from vitcam._version import __version__

if TYPE_CHECKING:
    from vitcam.model.classifier import Classifier
    from vitcam.sources import open_source

__all__ = ["Classifier", "__version__", "open_source"]


def __getattr__(name: str) -> Any:  # PEP 562: `vitcam --help` pays for no OpenCV
    if name == "Classifier":
        from vitcam.model.classifier import Classifier

        return Classifier
    if name == "open_source":
        from vitcam.sources import open_source

        return open_source
    raise AttributeError(f"module 'vitcam' has no attribute {name!r}")
