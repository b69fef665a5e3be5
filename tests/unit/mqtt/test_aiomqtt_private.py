"""What is used of aiomqtt's and paho's inside: the installed ones have it, and their releases are bounded."""

import ast
import asyncio
import tomllib
from importlib.metadata import version
from pathlib import Path

from aiomqtt import Client
from packaging.requirements import Requirement

from vitcam.mqtt import broker

SOURCE = Path(broker.__file__)


def private_names() -> set[str]:
    """`client._client._reset_sockets` as `_client._reset_sockets`."""
    chains = {ast.unparse(node) for node in ast.walk(ast.parse(SOURCE.read_text())) if isinstance(node, ast.Attribute)}
    return {
        chain.removeprefix("client.")
        for chain in chains
        if chain.startswith("client._") and chain.rpartition(".")[2].startswith("_")
    }


async def a_client() -> Client:
    """Not connected: its parts want a running loop."""
    return Client("127.0.0.1")


def test_the_installed_aiomqtt_has_each_private_name_that_is_used() -> None:
    client, missing = asyncio.run(a_client()), []
    for name in private_names():
        found: object = client
        for part in name.split("."):
            missing += [] if hasattr(found, part) else [name]
            found = getattr(found, part, None)

    assert private_names() >= {"_client", "_connected", "_misc_task", "_client._reset_sockets"}
    assert missing == []


def test_the_release_of_aiomqtt_is_bounded_on_both_sides() -> None:
    extras = tomllib.loads((SOURCE.parents[2] / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    bounds = Requirement(extras["mqtt"][0]).specifier

    assert {bound.operator for bound in bounds} == {">=", "<"}
    assert version("aiomqtt") in bounds
