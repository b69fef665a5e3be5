"""The description of the interface is valid, and says of every route what the code does."""

import asyncio
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from openapi_spec_validator import OpenAPIV31SpecValidator

import vitcam.parts
import vitcam.web
from vitcam.history.query_text import FILTERS
from vitcam.web.openapi.document import OpenApiRoute, openapi_json
from vitcam.web.openapi.schema import of_type
from vitcam.web.route import Route
from vitcam.web.route_table import ROUTES
from vitcam.web.stream.variant import STEPS

DOCUMENT = json.loads(openapi_json(ROUTES))


def operation(method: str, path: str) -> dict[str, Any]:
    found: dict[str, Any] = DOCUMENT["paths"][path][method.lower()]
    return found


def test_the_description_is_valid_by_the_official_schema_of_openapi() -> None:
    problems = [error.message for error in OpenAPIV31SpecValidator(DOCUMENT).iter_errors()]

    assert not problems


def test_every_route_is_described_once_and_nothing_else() -> None:
    described = {(method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods}

    assert described == {route.key for route in ROUTES}
    assert len(described) == len(ROUTES)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: " ".join(route.key))
def test_a_route_says_in_a_sentence_what_it_does(route: Route) -> None:
    assert route.doc[:1].isupper()
    assert route.doc.endswith(".")


def test_every_parameter_that_the_code_reads_is_described_and_no_other() -> None:
    folders = Path(vitcam.web.__path__[0]), Path(vitcam.parts.__path__[0])
    code = "".join(path.read_text("utf-8") for folder in folders for path in folder.rglob("*.py"))
    read = set(re.findall(r'query(?:\.get\(|\[)"(\w+)"', code)) | {*STEPS, *FILTERS}
    described = {
        parameter["name"]
        for methods in DOCUMENT["paths"].values()
        for described in methods.values()
        for parameter in described["parameters"]
        if parameter["in"] == "query"
    }

    assert described == read
    assert {"overlay", "head", "opacity", "width", "quality", "fps", "action", "attention", "input"} <= read


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_who_may_call_a_route_stands_in_its_description(route: Any) -> None:
    described = operation(route.method, route.path)

    assert described["summary"] == route.doc
    if route.needs is None:
        assert described["security"] == []
        assert "401" not in described["responses"] or route.path == "/login"
    else:
        assert described["security"] == [{"basic": []}, {"bearer": [route.needs.value]}, {"session": []}]
        assert {"401", "403", "429"} <= set(described["responses"])


def test_the_names_of_credentials_are_those_of_the_interface() -> None:
    schemes = DOCUMENT["components"]["securitySchemes"]

    assert (schemes["basic"]["scheme"], schemes["bearer"]["scheme"]) == ("basic", "bearer")
    assert (schemes["session"]["in"], schemes["session"]["name"]) == ("cookie", "vitcam_session")


def test_every_error_has_the_schema_of_an_error() -> None:
    for path, methods in DOCUMENT["paths"].items():
        for described in methods.values():
            for status, response in described["responses"].items():
                if status >= "400":
                    name = "OutOfDate" if status == "412" else "Error"  # that one says what is there, too
                    assert response["content"]["application/json"]["schema"] == {
                        "$ref": f"#/components/schemas/{name}"
                    }, path


def test_a_post_a_put_and_a_patch_have_a_body_and_a_get_has_none() -> None:
    with_body = {route.key for route in ROUTES if route.body}

    assert with_body == {route.key for route in ROUTES if route.method in ("POST", "PUT", "PATCH")} - {
        ("POST", "/logout"),
        ("POST", "/api/model/back"),
        ("POST", "/api/restart"),
        ("POST", "/api/guide"),
        ("POST", "/api/alerts/{id}/try"),
    }


def test_the_document_is_made_once() -> None:
    async def ask_twice() -> tuple[web.Response, web.Response]:
        route = OpenApiRoute(Mock(routes=ROUTES))
        request = make_mocked_request("GET", "/openapi.json")
        return await route.answer(request), await route.answer(request)

    first, second = asyncio.run(ask_twice())

    assert json.loads(str(first.text)) == DOCUMENT
    assert first.body is second.body


def test_a_type_that_json_schema_was_not_told_of_is_refused() -> None:
    @dataclass
    class Odd:
        when: complex

    with pytest.raises(TypeError, match="complex"):
        of_type(Odd)


def test_what_several_may_change_has_a_version_that_a_change_can_name() -> None:
    versioned = {
        (path, method) for path, methods in DOCUMENT["paths"].items() for method in methods if _etag(path, method)
    }
    named = {
        (path, method)
        for path, methods in DOCUMENT["paths"].items()
        for method, described in methods.items()
        if any(each["name"] == "If-Match" for each in described["parameters"]) and "412" in described["responses"]
    }
    documents = {f"/api/{name}" for name in ("zones", "names", "settings", "alerts")}

    assert {path for path, method in versioned if method == "get"} == {*documents, "/api/alerts/{id}"}
    assert named == {
        ("/api/zones", "put"),
        ("/api/names", "put"),
        ("/api/settings", "patch"),
        ("/api/alerts", "post"),
        ("/api/alerts/{id}", "patch"),
        ("/api/alerts/{id}", "delete"),
    }


def _etag(path: str, method: str) -> bool:
    return "ETag" in DOCUMENT["paths"][path][method]["responses"].get("200", {}).get("headers", {})
