"""The settings of one checkout as people find them: the schema, the example file, and the table of the manual."""

import json
from pathlib import Path
from typing import Any

from tests.same_behaviour.side import Side


def described_settings(side: Side, home: Path) -> dict[str, dict[str, Any]]:
    """Names, defaults and rules. home: a folder for the program."""
    ended = side.child(home, "run", "vitcam", "config", "schema")
    assert ended.code == 0, ended.err.decode(errors="replace")
    pages = sorted((side.root / "docs").rglob("configuration.md"))
    rows = [line for page in pages for line in page.read_text("utf-8").splitlines() if line.startswith("| `")]
    return {
        "the schema of the settings, sections": json.loads(ended.out)["properties"],
        "docs/configuration.md, settings": {row.split("`")[1]: row for row in rows},
        "examples": {"config.toml": (side.root / "examples" / "config.toml").read_text("utf-8")},
    }
