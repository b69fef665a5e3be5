"""A command line of many verbs: each verb's module is imported when it is asked for, and options come in groups."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, wraps
from importlib import import_module
from typing import Any

import typer

Verb = Callable[..., None]


class LazyVerbs(Mapping[str, Any]):
    """The command of each verb. Its module is imported when the command is asked for, so that no verb waits for others.

    `--help` and a shell that completes a verb ask for all of them: a module imports what is heavy in its functions.

    modules  verb -> a module, which has a function or a typer of the module's name
    wrapped  what a function is called through
    """

    def __init__(
        self,
        modules: Mapping[str, str],
        wrapped: Callable[[Callable[..., None]], Callable[..., None]] = lambda verb: verb,
    ) -> None:
        self._modules, self._wrapped = modules, wrapped

    def __getitem__(self, verb: str) -> Any:
        return _command(verb, self._modules[verb], self._wrapped)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


@cache
def _command(verb: str, module: str, wrapped: Callable[[Verb], Verb]) -> Any:
    """typer's object; its class lies in another module from version to version."""
    found, holder = getattr(import_module(module), module.rpartition(".")[2]), typer.Typer()
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=verb)
    else:
        holder.command(verb)(wrapped(found))
    return typer.main.get_group(holder).commands[verb]


def grouped(command: Verb) -> Verb:
    """Let a command take a group of options: a parameter whose type is a dataclass.

    On the command line each field of the dataclass is an option, in the parameter's place. The command gets the object.
    """
    declared = inspect.signature(command).parameters
    groups: dict[str, type[Any]] = {
        name: each.annotation
        for name, each in declared.items()
        if isinstance(each.annotation, type) and is_dataclass(each.annotation)
    }
    options = [
        option.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, each in declared.items()
        for option in (inspect.signature(groups[name]).parameters.values() if name in groups else [each])
    ]

    @wraps(command)
    def called(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    called.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    called.__annotations__ = {option.name: option.annotation for option in options}
    return called
