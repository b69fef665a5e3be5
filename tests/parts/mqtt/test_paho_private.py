"""What is used of paho's inside: the installed one has it, and its releases are bounded."""

import ast
import inspect
import tomllib
from importlib.metadata import version
from pathlib import Path

from packaging.requirements import Requirement
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from vitcam.parts.mqtt import connection

SOURCE = Path(connection.__file__)


def private_names_of_others() -> set[str]:
    """Those that `Connection` uses and does not make itself, and those that it overrides."""
    (made,) = [each for each in ast.parse(SOURCE.read_text()).body if getattr(each, "name", "") == "Connection"]
    names = [each for each in ast.walk(made) if isinstance(each, ast.Attribute) and each.attr.startswith("_")]
    own = {each.attr for each in names if isinstance(each.ctx, ast.Store)}
    methods = {each.name for each in ast.walk(made) if isinstance(each, ast.FunctionDef)}
    used = {each.attr for each in names if not each.attr.startswith("__")}
    return (used - own - methods) | {each for each in methods if each.startswith("_") and hasattr(Client, each)}


def test_the_installed_paho_has_the_private_names_that_are_used() -> None:
    used = {each for each in private_names_of_others() if each != "__init__"}
    client = Client(CallbackAPIVersion.VERSION2)

    assert used == {"_sock_recv", "_in_packet", "_handle_pubackcomp"}
    assert not [name for name in used if not hasattr(client, name)]
    assert {"command", "packet"} <= {*client._in_packet}
    # it asks for all that is missing of a packet in one call, whose size can be looked at
    assert "self._sock_recv(self._in_packet['to_process'])" in inspect.getsource(Client._packet_read)


def test_the_release_of_paho_is_bounded_on_both_sides() -> None:
    extras = tomllib.loads((SOURCE.parents[3] / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    required = Requirement(extras["mqtt"][0])

    assert required.name == "paho-mqtt"
    assert {bound.operator for bound in required.specifier} == {">=", "<"}
    assert version("paho-mqtt") in required.specifier
