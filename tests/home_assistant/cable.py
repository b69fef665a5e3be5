"""A camera in a network of its own, whose cable can be pulled. Only root can make one (ip-netns(8))."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.needs import missing, need_program

HERE, THERE = "198.51.100.1", "198.51.100.2"  # of those that RFC 5737 keeps for examples


class Cable:
    """Joins the network of this process to that of the camera.

    name    of the camera's network, and of this side's interface
    folder  where a script may be written
    """

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._folder = folder

    def join(self) -> None:
        """Make the network, and plug the cable in."""
        _ip("netns", "add", self.name)
        _ip("link", "add", self.name, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        _ip("addr", "add", f"{HERE}/30", "dev", self.name)
        _ip("link", "set", self.name, "up")
        _ip("-n", self.name, "link", "set", "lo", "up")
        _ip("-n", self.name, "addr", "add", f"{THERE}/30", "dev", "eth0")
        self.plug_in()

    def plug_in(self) -> None:
        """Let both sides reach each other."""
        _ip("-n", self.name, "link", "set", "eth0", "up")

    def pull(self) -> None:
        """Let neither side reach the other. Nobody is told: connections stay, and nothing comes."""
        _ip("-n", self.name, "link", "set", "eth0", "down")

    def program(self, *command: str) -> str:
        """A program that runs this command, with more arguments, in the network of the camera."""
        path = self._folder / f"{Path(command[-1]).name}-in-{self.name}"
        path.write_text(f'#!/bin/sh\nexec ip netns exec {self.name} {" ".join(command)} "$@"\n')
        path.chmod(0o755)
        return str(path)


@contextmanager
def cable(folder: Path) -> Iterator[Cable]:
    """One that is plugged in. It goes at the end, and the network with it."""
    need_program("ip")
    made = Cable(f"vitcam{os.getpid()}", folder)
    try:
        made.join()
    except subprocess.CalledProcessError as error:
        missing(f"only root can make a network of its own: {error.stderr}")
    try:
        yield made
    finally:
        _ip("netns", "del", made.name)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True, timeout=60)
