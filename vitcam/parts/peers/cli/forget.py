"""`vitcam token forget`."""

from typing import Annotated

import typer

from vitcam.cli.options import StateOptions, write_state
from vitcam.terminal.verbs import grouped


@grouped
def forget(
    name: Annotated[str, typer.Argument(help="Forget the token of this other camera.")], *, state: StateOptions
) -> None:
    """Forget the token of another camera. It stays valid there until it is revoked there."""
    from vitcam.parts.peers.access import forget_peer_access, peer_tokens_file
    from vitcam.terminal.consoles import stderr_console

    write_state(state.owned_folder(), peer_tokens_file, lambda folder: forget_peer_access(folder, name))
    stderr_console().print(f"The token of {name!r} is forgotten here. At the other camera, revoke it.")
