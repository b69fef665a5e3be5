"""Sections whose keys are free: each names a label or a camera, and all of them say the same kind of thing."""

from collections.abc import Mapping
from types import MappingProxyType

from vitcam.config.names import OWN_NAME
from vitcam.config.option import OpenSection, Option
from vitcam.parts import PARTS

OF_PARTS: Mapping[str, OpenSection] = MappingProxyType(
    {name: section for part in PARTS for name, section in part.open_sections.items()}
)
OPEN_SECTIONS: Mapping[str, Option] = MappingProxyType(
    {OWN_NAME.section: OWN_NAME} | {name: section.each for name, section in OF_PARTS.items()}
)
"""Section -> what a key says that is no setting by its own name."""
