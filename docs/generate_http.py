"""Write the table of routes into docs/program/http.md; --check tells if it is fresh."""

import sys
from pathlib import Path

from vitcam.web.route import Route
from vitcam.web.route_table import ROUTES

PAGE = Path(__file__).parent / "program" / "http.md"
BEGIN = "<!-- routes: written by docs/generate_http.py -->\n"
END = "<!-- routes end -->\n"
HEAD = "| route | needs | at once | what | parameters |\n|---|---|---|---|---|\n"


def fresh(page: str) -> str:
    """The page with its table made again."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{HEAD}{''.join(map(row, ROUTES))}\n{END}{after}"


def row(route: Route) -> str:
    """A route's line of the table."""
    needs = route.needs.value if route.needs else "nothing"
    at_once = f"{route.limits.at_once}, {route.limits.of_one_address}"
    parameters = ", ".join(f"`{name}`" for name in route.parameters)
    return f"| `{route.method} {route.path}` | {needs} | {at_once} | {route.doc} | {parameters} |\n"


def main() -> int:
    """Exit status: 1 if --check found the page stale."""
    page = PAGE.read_text("utf-8")
    wanted = fresh(page)
    if "--check" in sys.argv[1:]:
        if page != wanted:
            print(f"{PAGE} is stale; run docs/generate_http.py", file=sys.stderr)
        return int(page != wanted)
    PAGE.write_text(wanted, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
