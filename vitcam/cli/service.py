"""`vitcam service …`."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from vitcam._version import __version__
from vitcam.errors import UsageError, VitcamError

if TYPE_CHECKING:
    from vitcam.service.install import Installed

service = typer.Typer(help="Install vitcam as a service of systemd, and look after it.", no_args_is_help=True)

InstanceOption = Annotated[
    str | None,
    typer.Option(
        "--instance",
        metavar="NAME",
        help="Take the unit vitcam@NAME with the settings in /etc/vitcam/NAME.toml: one camera of several.",
    ),
]


@service.command("install")
def install_service(
    lan: Annotated[
        bool, typer.Option("--lan", help="Let other machines of the network open the page, with a password.")
    ] = False,
    instance: InstanceOption = None,
) -> None:
    """Install this vitcam into /opt/vitcam, start it now and at every boot, and print its address."""
    from vitcam.service.install import install
    from vitcam.service.origin import checkout
    from vitcam.service.places import Instance, Places

    with _as_root("install"):
        done = install(Places(), Instance.named(instance) if instance else Instance(), lan, _tell, checkout())
    _show(done)


@service.command()
def upgrade(
    origin: Annotated[
        Path | None,
        typer.Argument(
            metavar="WHEEL|FOLDER",
            help="Install this. Default: what runs now, or the folder that the installed version came from.",
        ),
    ] = None,
) -> None:
    """Replace the installed version. If the new one does not become ready, the old one is started again."""
    from vitcam.service.places import Places
    from vitcam.service.upgrade import upgrade as replace_version

    with _as_root("upgrade"):
        done = replace_version(Places(), origin, _tell)
    typer.echo(f"vitcam {done.new} is installed in place of {done.old}.")
    typer.echo(f"Ready: {', '.join(done.units)}." if done.units else "No service was enabled, so none was started.")


@service.command("uninstall")
def uninstall_service() -> None:
    """Stop and remove the service. Settings, passwords and history stay."""
    from vitcam.service.install import uninstall
    from vitcam.service.places import Places

    with _as_root("uninstall"):
        uninstall(Places(), _tell)
    typer.echo("vitcam is removed. /etc/vitcam and /var/lib/vitcam* stay; delete them if you need them no longer.")


@service.command()
def status() -> None:
    """Show whether the service is ready, its version, its address, and why it last failed."""
    from vitcam.service.places import Places
    from vitcam.service.status import status_lines

    lines, ready = status_lines(Places())
    typer.echo("\n".join(lines))
    if not ready:
        raise typer.Exit(1)


@service.command()
def logs(
    lines: Annotated[
        int, typer.Option("--lines", "-n", min=1, help="Show at most this many of the newest lines.")
    ] = 50,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Show new lines as they come, until Ctrl-C.")] = False,
    instance: InstanceOption = None,
) -> None:
    """Show the service's lines in the journal."""
    from vitcam.service.journal import show_log
    from vitcam.service.places import Instance

    show_log((Instance.named(instance) if instance else Instance()).unit, lines, follow)


@contextmanager
def _as_root(verb: str) -> Iterator[None]:
    """Raises UsageError without systemd or root's rights, and VitcamError for a file that cannot be written."""
    if os.geteuid() != 0:
        raise UsageError(f"only root can change services; type: sudo vitcam service {verb}")
    if not Path("/run/systemd/system").exists():
        raise UsageError("this machine was not started by systemd; start vitcam by hand: vitcam run")
    with as_sentence():
        yield


@contextmanager
def as_sentence() -> Iterator[None]:
    """Raises VitcamError in place of an OSError, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        raise VitcamError(f"{_in_words(error)}; make room or repair it, then try again") from error


def _in_words(error: OSError) -> str:
    if isinstance(error, shutil.Error):  # copying a folder collects what went wrong: source, target, reason
        return str(error.args[0][-1][-1])
    return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)


def _tell(sentence: str) -> None:
    typer.echo(sentence, err=True)


def _show(done: "Installed") -> None:
    from vitcam.pictures.address_code import text_code
    from vitcam.web.requests.allowed_hosts import is_local

    typer.echo(f"vitcam {done.version} is installed." if done.fresh else f"vitcam {done.version} was installed before.")
    if done.version != __version__:
        typer.echo(f"This is vitcam {__version__}; the verb `upgrade` in place of `install` takes it into use.")
    if done.address:
        typer.echo(f"Address: {done.address}")
    if done.name:
        there = urlsplit(done.address)
        typer.echo(f"By name: {there.scheme}://{done.name}:{there.port}")
    if done.password is not None:
        from vitcam.access.password import USER

        typer.echo(f"User: {USER}")
        typer.echo(f"Password: {done.password}    (it is shown only now; `vitcam password` sets another one)")
    if done.failure:
        raise VitcamError(f"{done.unit} is installed, but did not become ready: {done.failure}")
    typer.echo(f"{done.unit} is ready.")
    if done.address and not is_local(urlsplit(done.address).hostname or ""):
        typer.echo(f"Open it on a phone:\n{text_code(done.address)}\n{done.address}")
