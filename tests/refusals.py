"""What a refusal must name, whatever its words: the value found, the allowed ones, the setting, the file."""

import re


def naming(*names: object) -> str:
    """A pattern for `match=`: all of these stand in the sentence, in any order."""
    return "(?s)" + "".join(f"(?=.*{re.escape(str(name))})" for name in names)
