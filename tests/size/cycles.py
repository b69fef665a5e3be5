"""Which modules import each other in a circle, by their text alone."""

import ast
from collections.abc import Collection, Iterator, Mapping

PACKAGES = {"vitcam": "vitcam", "training": "vitcam_training"}
"""A folder -> the package that it is."""


def circles(tree: Mapping[str, str], lazy: bool) -> list[list[str]]:
    """Groups of modules of which each reaches every other one. Imports for type checkers count.

    lazy  imports within functions count, too
    """
    modules = {name: text for path, text in tree.items() if (name := _module(path)) is not None}
    graph = {
        name: set(_imported(name, ast.parse(text), modules.keys(), lazy)) - {name} for name, text in modules.items()
    }
    reached = {name: _reached(name, graph) for name in graph}
    groups = {frozenset(other for other in found if name in reached[other]) for name, found in reached.items()}
    return sorted(sorted(group) for group in groups if len(group) > 1)


def _module(path: str) -> str | None:
    """The name by which it is imported; None for a file that belongs to no package."""
    folder, *rest = path.removesuffix(".py").split("/")
    if folder not in PACKAGES or not rest:
        return None
    return ".".join([PACKAGES[folder], *(rest[:-1] if rest[-1] == "__init__" else rest)])


def _imported(module: str, tree: ast.Module, known: Collection[str], lazy: bool) -> Iterator[str]:
    """The modules that it imports, of those that are known; of a package the module in it, where one is named."""
    for node in _statements(tree, lazy):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for each in node.names:
                inner = f"{node.module}.{each.name}"
                if inner in known:
                    yield inner
                elif node.module in known:
                    yield node.module


def _statements(node: ast.AST, lazy: bool) -> Iterator[ast.AST]:
    for inner in ast.iter_child_nodes(node):
        yield inner
        if lazy or not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _statements(inner, lazy)


def _reached(start: str, graph: Mapping[str, set[str]]) -> set[str]:
    """All modules that a chain of imports leads to, itself only if one leads back."""
    found: set[str] = set()
    ahead = [start]
    while ahead:
        for each in graph[ahead.pop()] - found:
            found.add(each)
            ahead.append(each)
    return found
