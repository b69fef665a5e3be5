"""A verb that has verbs below it, to which parts may add some."""

from typing import Any, ClassVar

from typer.core import TyperGroup

from vitcam.parts import PARTS
from vitcam.terminal.verbs import LazyVerbs


class PartVerbs(TyperGroup):
    """The verbs of its module, then those of parts, such as `token peer`."""

    verb: ClassVar[str]

    def __init__(self, *, commands: dict[str, Any], **attributes: Any) -> None:
        below = f"{self.verb} "
        of_parts = {
            name.removeprefix(below): module
            for part in PARTS
            for name, module in part.verbs.items()
            if name.startswith(below)
        }
        super().__init__(commands=commands | dict(LazyVerbs(of_parts)), **attributes)
