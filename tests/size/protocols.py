"""Which protocols have one implementation, by the names of their members."""

import ast
from collections.abc import Iterator, Mapping


def of_one_class(tree: Mapping[str, str]) -> dict[str, str]:
    """Protocol of `vitcam/` -> the class of `vitcam/` that has all of its members, where there is only one.

    Left out are protocols that a function (`__call__`) or a class of a library implements.
    """
    classes = {
        node.name: node
        for path, text in tree.items()
        if path.startswith("vitcam/")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
    }
    members = {name: _members(node, classes) for name, node in classes.items()}
    protocols = {name for name, node in classes.items() if "Protocol" in _bases(node)}
    found = {}
    for name in sorted(protocols):
        if "__call__" not in members[name]:
            able = sorted(each for each in members.keys() - protocols if members[name] <= members[each])
            if len(able) == 1:
                found[name] = able[0]
    return found


def _bases(node: ast.ClassDef) -> list[str]:
    """Their names, without modules and parameters of type."""
    bases = [each.value if isinstance(each, ast.Subscript) else each for each in node.bases]
    return [each.id if isinstance(each, ast.Name) else getattr(each, "attr", "") for each in bases]


def _members(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> set[str]:
    """Names of methods, of fields, of what methods set on `self`, and those of base classes."""
    found = {name for each in node.body for name in _named(each)}
    for base in _bases(node):
        if base in classes and base != node.name:
            found |= _members(classes[base], classes)
    return found


def _named(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        yield statement.name
        stored = (each for each in ast.walk(statement) if isinstance(each, ast.Attribute) and _is_stored(each))
        yield from (each.attr for each in stored)
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id
    elif isinstance(statement, ast.Assign):
        yield from (target.id for target in statement.targets if isinstance(target, ast.Name))


def _is_stored(node: ast.Attribute) -> bool:
    """Whether it is `self.NAME = …`."""
    return isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id == "self"
