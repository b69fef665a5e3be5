"""Sections whose keys are free: each names a label or a camera, and all of them say the same kind of thing."""

from collections.abc import Mapping
from types import MappingProxyType

from vitcam.config.names import OWN_NAME
from vitcam.config.option import Option
from vitcam.parts.peers.settings import PEER

OPEN_SECTIONS: Mapping[str, Option] = MappingProxyType({each.section: each for each in (OWN_NAME, PEER)})
"""Section -> what a key says that is no setting by its own name."""
