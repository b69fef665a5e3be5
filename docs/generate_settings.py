"""Write the settings into docs/use/configuration.md and examples/config.toml; --check tells if they are."""

import sys
from pathlib import Path

from vitcam.config import describe

ROOT = Path(__file__).parent.parent
BEGIN = "<!-- settings: written by docs/generate_settings.py -->\n"
END = "<!-- settings end -->\n"


def wanted(root: Path) -> dict[Path, str]:
    """Each file that is generated, wholly or between its markers -> its text."""
    page = root / "docs" / "use" / "configuration.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return {
        page: f"{before}{BEGIN}{describe.table()}{END}{after}",
        root / "examples" / "config.toml": describe.example(),
    }


def main() -> int:
    """Exit status: 1 if --check found a stale file."""
    stale = [
        path for path, text in wanted(ROOT).items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path} is stale; run docs/generate_settings.py", file=sys.stderr)
        return 1 if stale else 0
    for path, text in wanted(ROOT).items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
