"""Whether a name can be that of a file or a folder: Linux counts bytes, people count characters."""

LONGEST = 255 - len("..12345678.partial")
"""Bytes: those of `NAME_MAX`, without what is put around the name of a file while it is written."""


def can_name_file(name: str) -> bool:
    """Whether a file in a folder can be called so; `..` and what holds a `/` lead elsewhere."""
    try:
        size = len(name.encode())
    except UnicodeEncodeError:  # half of a character, as JSON can say it
        return False
    return 0 < size <= LONGEST and name not in (".", "..") and not {"/", "\0"} & set(name)
