"""tests/house.py finds what names a leaf from outside, and its list can only get shorter."""

import re

import pytest

from tests.house import all_leaves, complaints, imports, offences
from tests.size.trees import ROOT

DOCSTRING = '"""Clips, `mqtt.host` and vitcam.heat are named here."""\n# vitcam.heat\n'


@pytest.mark.parametrize(
    ("path", "text", "row", "what"),
    [
        ("vitcam/daemon/a.py", "def f():\n    from vitcam.heat import watch", "code heat", ["imports it"]),
        ("vitcam/daemon/a.py", 'make("vitcam.parts.heat.watch:make")', "code heat", ["imports it", "says heat"]),
        ("vitcam/daemon/a.py", "import vitcam.batch.report", "code batch", ["imports it"]),
        ("vitcam/mqtt/a.py", "from vitcam import teach", "code teach", ["imports it", "says teach"]),
        ("vitcam/daemon/a.py", 'raise ValueError("set clips.enabled to true")', "code clips", ["has its section"]),
        ("vitcam/web/a.py", 'ROUTE = "/api/learn"', "code learn", ["has its address"]),
        ("vitcam/web/a.py", "class MqttState: ...", "code mqtt", ["says mqtt"]),
        ("vitcam/web/a.py", "run(peers=None)", "code peers", ["says peers"]),
        ("vitcam/web/page/a.js", 'import { Wall } from "./wall/wall.js";', "page peers", ["has its address"]),
        ("vitcam/web/page/a.js", "show(state.clips);", "page clips", ["has its state"]),
        ("vitcam/web/page/language/de.json", '{"alerts.new": "Neu"}', "page alerts", ["has its phrases"]),
        ("vitcam/web/page/a.js", "link.href = `#alerts?${query}`;", "page alerts", ["has its address"]),
        ("vitcam/web/page/a.js", '  "clips.enabled": {},', "page clips", ["has its settings"]),
        ("vitcam/web/page/a.html", '<a href="#learn" data-t="nav.learn"></a>', "page learn", ["has its address"]),
    ],
)
def test_a_planted_offence_is_found(path: str, text: str, row: str, what: list[str]) -> None:
    found = offences({path: text if "/page/" in path else DOCSTRING + text})

    assert found == {f"{row} {path}": what}


def test_what_belongs_to_a_leaf_or_means_another_thing_is_no_offence() -> None:
    tree = {
        "vitcam/heat/watch.py": "from vitcam.heat import governor",
        "vitcam/parts/heat/watch.py": "from vitcam.parts.heat import governor",
        "vitcam/parts/__init__.py": 'PARTS = ("vitcam.parts.heat:PART",)',
        "vitcam/pictures/overlay.py": 'STYLES = {"heat": draw_heat}',
        "vitcam/web/page/wall/wall.js": 'import { Tile } from "../wall/tile.js"; show(state.peers);',
        "vitcam/web/page/app.js": "// of /api/classify",
        "vitcam/daemon/a.py": DOCSTRING + "learn(batch)",
    }

    assert offences(tree) == {}


def test_a_leaf_that_came_later_is_looked_for_without_a_table() -> None:
    tree = {"vitcam/parts/chime/__init__.py": "", "vitcam/web/a.py": "import vitcam.parts.chime.bell"}

    found = offences(tree)

    assert found == {"code chime vitcam/web/a.py": ["imports it"]}
    assert imports(found, all_leaves(tree))[0]["chime"] == 1


def test_the_list_gets_no_row_more_and_keeps_none_for_nothing() -> None:
    tree = {"vitcam/a.py": "import vitcam.heat.watch", "vitcam/parts/mqtt/b.py": "import vitcam.batch.report"}
    found = offences(tree)
    old = ["code batch vitcam/parts/mqtt/b.py", "code clips vitcam/a.py"]

    new, gone = complaints(found, old, set())

    assert new.startswith("code clips vitcam/a.py: offends no more")
    assert gone.startswith("code heat vitcam/a.py: imports it")
    assert list(complaints(found, [*found], {"clips"})) == []
    assert [each.split(":")[0] for each in complaints(found, [*found], {"heat"})] == ["code heat vitcam/a.py"]
    assert imports(found, all_leaves(tree))[1] == ["mqtt -> batch"]


def test_unit_tests_of_the_base_import_no_leaf_so_that_they_run_without_it() -> None:
    unit = (ROOT / "tests" / "unit").rglob("*.py")
    of_a_leaf = re.compile(r"^\s*(from|import) vitcam\.parts\.\w+", re.MULTILINE)

    assert [str(path) for path in unit if of_a_leaf.search(path.read_text("utf-8"))] == []
