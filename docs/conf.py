"""The site in build/site, which `make docs` makes of the repository's own pages with Sphinx.

Sphinx reads from the root of the repository, so that a link works on the site as it does where the pages are kept. The
pages of a shelf stand in the order in which its index links to them. Any other file of the repository that a page links
to gets a page with its lines. Nothing is loaded from another site.
"""

import json
import posixpath
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]
_LISTED = subprocess.run(["/usr/bin/env", "git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
TRACKED = set(_LISTED.stdout.splitlines())
SHOWN = {"": "text", ".py": "python", ".toml": "toml", ".js": "javascript", ".json": "json", ".service": "ini"}
"""Kinds of files that get a page with their lines -> the language that they are written in."""
PAGES = (".md", ".ipynb")
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
SOURCE = "source:"
"""Scheme of a link to a file's lines, until the page that holds it is written."""

project = "vitcam"
author = "the vitcam founders"
extensions = ["myst_nb"]
root_doc = "README"
include_patterns = [
    "*.md",
    "docs/*.md",
    "docs/*/*.md",
    "docs/study/notebook.ipynb",
    "models/*.md",
    "models/golden/CREDITS.md",
    "training/study/**.md",
    "vitcam/sources/demo.md",
]
exclude_patterns = [".*", "build", "runs", "tests", "shared"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_url_schemes = {"http": None, "https": None, "mailto": None, "source": None}
myst_dmath_double_inline = True
nb_execution_mode = "off"
suppress_warnings = ["myst.strikethrough"]
nitpicky = True

html_theme = "pydata_sphinx_theme"
html_title = "vitcam"
html_extra_path = ["site"]
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
html_theme_options = {
    "navbar_align": "left",
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
}


def rewritten(text: str, page: str) -> str:
    """What Sphinx reads in place of a page's text.

    A link to any other file leads to its lines. A link whose words are the name of a page gets that page's
    title. An index shows the pages that it links to as those of its shelf.
    """
    folder = posixpath.dirname(page)
    linked: list[str] = []

    def link(found: re.Match[str]) -> str:
        words, path, anchor = found[1], found[2], found[3] or ""
        at = posixpath.normpath(posixpath.join(folder, path))
        if path.endswith(PAGES):
            linked.append(at)
            return f"[]({path}{anchor})" if words.endswith(PAGES) else found[0]
        is_shown = (at in TRACKED and Path(at).suffix in SHOWN) or (ROOT / at).is_dir()
        return f"[{words}]({SOURCE}{at}{anchor})" if is_shown else found[0]

    parts = re.split(r"(^```.*?^```)", text, flags=re.DOTALL | re.MULTILINE)
    written = "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)
    below = "".join(f"/{each}\n" for each in dict.fromkeys(linked) if is_below(page, each))
    return f"{written}\n```{{toctree}}\n:hidden:\n\n{below}```\n" if below else written


def notebook(text: str, page: str) -> str:
    """The same of the cells of a notebook that are prose."""
    content = json.loads(text)
    for cell in content["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = rewritten("".join(cell["source"]), page)
    return json.dumps(content)


def is_below(page: str, other: str) -> bool:
    """Whether a page stands below another one: shelves below the README, what a shelf lists below its index."""
    if page == root_doc:
        return other.endswith("/index.md")
    if not page.endswith("/index") or other == f"{root_doc}.md":
        return False
    of_shelves = re.match(r"docs/\w+/", other)
    return of_shelves is None or page.startswith(of_shelves[0])


class Sources:
    """The files of the repository that pages link to."""

    def __init__(self) -> None:
        self._linked: set[str] = set()

    def link(self, app: Sphinx, doctree: nodes.document, page: str) -> None:
        """Let a page's links lead to the files' own pages."""
        for node in doctree.findall(nodes.reference):
            if node.get("refuri", "").startswith(SOURCE):
                path, _, line = node["refuri"].removeprefix(SOURCE).partition("#L")
                self._linked.add(path)
                there = app.builder.get_relative_uri(page, f"source/{path}")
                node["refuri"] = f"{there}#L-{line}" if line else there

    def pages(self, app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
        """A page for each file with its lines, and for each folder with the names in it."""
        for path in sorted(self._linked):
            if (ROOT / path).is_dir():
                text, language = "".join(f"{name}\n" for name in sorted(TRACKED) if name.startswith(f"{path}/")), "text"
            else:
                text, language = (ROOT / path).read_text("utf-8"), SHOWN[Path(path).suffix]
            lines = app.builder.highlighter.highlight_block(text, language, linenos="inline", lineanchors="L")
            yield f"source/{path}", {"title": path, "body": f"<h1>{path}</h1>{lines}"}, "page.html"


def mathml(writer: Any, node: nodes.math | nodes.math_block) -> None:
    """Write an equation as the browser draws it by itself, without a script."""
    equation = node.astext().replace(r"\enspace", r"\;").replace(r"\dots", r"\ldots")  # docutils knows these names
    writer.body.append(tex2mathml(equation, as_block=isinstance(node, nodes.math_block)))
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    sources = Sources()

    def read(_: Sphinx, page: str, source: list[str]) -> None:
        source[0] = notebook(source[0], page) if source[0].startswith("{") else rewritten(source[0], page)

    app.connect("source-read", read)
    app.connect("doctree-resolved", sources.link)
    app.connect("html-collect-pages", sources.pages)
    app.add_html_math_renderer("mathml", (mathml, None), (mathml, None))
