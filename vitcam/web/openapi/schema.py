"""JSON Schema (draft 2020-12, which OpenAPI 3.1 uses), made from dataclasses and from short pieces."""

import types
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TIME: Schema = {"type": "string", "format": "date-time"}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 0}
FLAG: Schema = {"type": "boolean"}
PROBABILITY: Schema = {"type": "number", "minimum": 0, "maximum": 1}
ANYTHING: Schema = {"type": "object"}
_PLAIN: dict[object, Schema] = {
    str: TEXT,
    int: {"type": "integer"},
    float: NUMBER,
    bool: FLAG,
    type(None): {"type": "null"},
}


def record(properties: Mapping[str, Schema], description: str = "", optional: tuple[str, ...] = ()) -> Schema:
    """An object with these properties, each of which is there unless it is `optional`."""
    required = [name for name in properties if name not in optional]
    return described({"type": "object", "properties": dict(properties), "required": required}, description)


def array_of(schema: Schema, description: str = "", **limits: int) -> Schema:
    """A list whose elements are all like this; `limits` are minItems and maxItems."""
    return described({"type": "array", "items": schema, **limits}, description)


def nullable(schema: Schema, description: str = "") -> Schema:
    """This, or null."""
    return described({"anyOf": [schema, {"type": "null"}]}, description)


def one_of(values: Iterable[str], description: str = "") -> Schema:
    """A text that is one of these."""
    return described({"type": "string", "enum": [*values]}, description)


def switch(description: str) -> Schema:
    """A parameter that is 0 or 1."""
    return one_of(("0", "1"), description)


def described(schema: Schema, description: str) -> Schema:
    """The same with a description, unless that is empty."""
    return schema | {"description": description} if description else schema


def named(name: str) -> Schema:
    """A reference to a schema of the document's components."""
    return {"$ref": f"#/components/schemas/{name}"}


def of_type(hint: Any) -> Schema:
    """What `json.dumps(asdict(…))` writes for a value of this type. Raises TypeError for a type it does not know."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, type) and issubclass(hint, int):  # a count that has a name
        return described(COUNT, hint.__doc__ or "")
    if is_dataclass(hint) and isinstance(hint, type):
        hints = get_type_hints(hint)
        return record({field.name: of_type(hints[field.name]) for field in fields(hint)})
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return one_of(member.value for member in hint)
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return one_of(inner)
    if origin in (Union, types.UnionType):
        return {"anyOf": [of_type(kind) for kind in inner]}
    if origin is dict:
        return {"type": "object", "additionalProperties": of_type(inner[1])}
    if origin is tuple:
        return _of_tuple(inner)
    raise TypeError(f"{hint!r} has no JSON Schema here; add it to vitcam/web/openapi/schema.py")


def _of_tuple(inner: tuple[Any, ...]) -> Schema:
    if len(inner) == 2 and inner[1] is Ellipsis:
        return array_of(of_type(inner[0]))
    return {
        "type": "array",
        "prefixItems": [of_type(kind) for kind in inner],
        "minItems": len(inner),
        "maxItems": len(inner),
    }
