"""What a client may do."""

from enum import StrEnum


class Scope(StrEnum):
    """Each allows what the one before allows, and more."""

    READ = "read"
    """Look: every GET."""
    CONTROL = "control"
    """Everything."""
