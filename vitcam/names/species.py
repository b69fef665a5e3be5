"""The names of a species, as labels of models give them."""

import re
from dataclasses import dataclass
from typing import Self

from vitcam.names.wanted import key_of

_BOTH = re.compile(r"(?P<scientific>[^()]+?)\s*\((?P<common>.*)\)")
_BINOMIAL = re.compile(r"[A-Z][a-z-]+( [a-z][a-z-]+){1,3}")
_NOTHING = frozenset({"background", "none of these", "unknown"})


@dataclass(frozen=True, slots=True)
class Species:
    """A label and its names. It need not be that of a species: any label has a name."""

    label: str
    common: str
    """What people call it; where the label has one name alone, that."""
    scientific: str | None

    @classmethod
    def of(cls, label: str) -> Self:
        """Of a label such as "Carduelis carduelis (European Goldfinch)", or of one name alone."""
        if found := _BOTH.fullmatch(label.strip()):
            scientific = found["scientific"].strip()
            return cls(label, found["common"].strip() or scientific, scientific)
        return cls(label, label.strip(), label.strip() if _BINOMIAL.fullmatch(label.strip()) else None)

    @property
    def keys(self) -> frozenset[str]:
        """Of its names."""
        return frozenset(key_of(name) for name in (self.label, self.common, self.scientific) if name)

    @property
    def is_nothing(self) -> bool:
        """Whether the label stands for what is none of the others."""
        return key_of(self.label) in _NOTHING
