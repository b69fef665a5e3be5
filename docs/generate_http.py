"""Write the table of routes into docs/program/http.md; --check tells if it is fresh."""

import sys
from pathlib import Path

from generated import write

from vitcam.web.route import Route
from vitcam.web.route_table import ROUTES

PAGE = Path(__file__).parent / "program" / "http.md"
HEAD = "| route | needs | at once | what | parameters |\n|---|---|---|---|---|\n"


def table() -> str:
    """A row for each route."""
    return HEAD + "".join(map(row, ROUTES))


def row(route: Route) -> str:
    """A route's line of the table."""
    needs = route.needs.value if route.needs else "nothing"
    at_once = f"{route.limits.at_once}, {route.limits.of_one_address}"
    parameters = ", ".join(f"`{name}`" for name in route.parameters)
    return f"| `{route.method} {route.path}` | {needs} | {at_once} | {route.doc} | {parameters} |\n"


if __name__ == "__main__":
    sys.exit(write(PAGE, "routes", table()))
