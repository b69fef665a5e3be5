"""`vitcam-train report` on a small model and drawn pictures: what the page holds, loads, says and looks like."""

import json
import re
import shutil
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.integration.web.browser import console_errors, open_browser
from tests.training.integration.command import call
from tests.training.unit.pictures import RECIPE, write_pictures
from vitcam.errors import VitcamError
from vitcam_training.cli import app
from vitcam_training.report import material
from vitcam_training.report.page import SECTIONS

pytestmark = pytest.mark.slow("training/report", "training/evaluation")

ODD = "<b>red</b>"


@dataclass(frozen=True)
class Workshop:
    """A folder with photos, a model and a report, all made by the commands."""

    root: Path
    page: str


@pytest.fixture(scope="module", autouse=True)
def quick_bench() -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(material, "BENCH_S", 0.1)
        yield


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    root = tmp_path_factory.mktemp("workshop")
    write_pictures(root / "photos", each=20, side=32)
    (root / "photos" / "red").rename(root / "photos" / ODD.replace("/", "∕"))
    write_pictures(root / "strangers", each=2, side=40, seed=9)
    (root / "colours.toml").write_text(RECIPE.format(photos=root / "photos", epochs=3))
    call("fit", root / "colours.toml", "--out", root / "run")
    call("export", root / "run" / "weights.safetensors", "-o", root / "colours.tflite", "--data", root / "photos")
    common = ("--data", root / "photos", "--unknown", root / "strangers", "--threads", 1)
    call("report", root / "colours.tflite", *common, "-o", root / "report.html")
    return Workshop(root, (root / "report.html").read_text(encoding="utf-8"))


class Links(HTMLParser):
    """All that a browser would fetch or follow, and the structure that a screen reader goes by."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.tags.append((tag, known))
        self.fetched += [str(known[name]) for name in ("src", "srcset", "xlink:href", "poster") if name in known]
        self.fetched += [str(known["href"])] if tag == "link" else []


def test_every_section_has_a_heading_and_something_below_it(workshop: Workshop) -> None:
    for section in SECTIONS:
        found = re.search(rf'<section id="{section.name}"[^>]*>(.*?)</section>', workshop.page, re.DOTALL)

        assert found, section.name
        assert f'<h2 id="{section.name}-title">{section.title}</h2>' in found[1]
        assert found[1].partition("</h2>")[2], section.name


def test_only_what_was_not_measured_is_said_to_be_missing(workshop: Workshop) -> None:
    found = re.findall(r'class="missing">(.*?)</p>', workshop.page)

    assert [each.split(":")[0] for each in found] == [
        "It was not measured whether the answer depends on the marked places",
    ]
    assert "<caption>Every attempt</caption>" in workshop.page


def test_the_figures_are_those_of_evaluate(workshop: Workshop) -> None:
    root = workshop.root
    evaluate = ("evaluate", root / "colours.tflite", "--data", root / "photos", "--json")
    expected = json.loads(call(*evaluate, "--float", root / "colours.safetensors"))
    carried = re.search(r'<script type="application/json" id="figures">(.*?)</script>', workshop.page)

    assert carried
    found = json.loads(carried[1])
    assert found.pop("classes") == expected.pop("classes")
    assert found == pytest.approx(expected)
    assert f"{expected['top1']:.2%}" in workshop.page
    assert f"{expected['ece_debiased']:.2%}" in workshop.page


def test_the_page_fetches_nothing_from_anywhere(workshop: Workshop) -> None:
    links = Links(workshop.page)

    assert links.fetched
    assert all(address.startswith("data:image/jpeg;base64,") for address in links.fetched)
    assert "url(" not in workshop.page
    assert "@import" not in workshop.page
    assert "default-src 'none'" in workshop.page


def test_a_label_that_is_markup_stands_there_as_text(workshop: Workshop) -> None:
    label = ODD.replace("/", "∕")

    assert label not in workshop.page
    assert label.replace("<", "&lt;").replace(">", "&gt;") in workshop.page


def test_pictures_have_words_and_tables_have_captions(workshop: Workshop) -> None:
    tags = Links(workshop.page).tags
    names = [name for name, _ in tags]

    assert all(known.get("alt") for name, known in tags if name == "img")
    assert all(known.get("aria-label") for name, known in tags if name == "svg")
    assert names.count("table") == names.count("caption")
    assert names.count("h1") == names.count("main") == 1


def test_a_model_file_alone_gets_a_report_that_says_what_is_missing(workshop: Workshop, tmp_path: Path) -> None:
    shutil.copy(workshop.root / "colours.tflite", tmp_path)
    data = ("--data", workshop.root / "photos")
    call("report", tmp_path / "colours.tflite", *data, "--threads", 1, "-o", tmp_path / "alone.html")
    page = (tmp_path / "alone.html").read_text(encoding="utf-8")

    assert "There is no colours.safetensors beside the model" in page
    assert "No weights lie beside the model" in page
    assert "<code>--unknown DATA</code>" in page


def test_mistakes_are_shown_with_what_it_is_what_was_said_and_the_overlay(workshop: Workshop, tmp_path: Path) -> None:
    for label, shows in {"blue": "green", "green": "blue"}.items():
        shutil.copytree(workshop.root / "photos" / shows, tmp_path / "swapped" / label)
    data = ("--data", tmp_path / "swapped")
    call("report", workshop.root / "colours.tflite", *data, "--threads", 1, "-o", tmp_path / "wrong.html")
    page = (tmp_path / "wrong.html").read_text(encoding="utf-8")

    assert "40 of 40 answers are wrong" in page
    assert page.count("The same with the overlay") == 16
    assert re.search(r'<b class="wrong">(green|blue)</b> [\d.]+%<br>it is <b>(blue|green)</b>', page)
    assert "These 2 pairs are 40 of all 40 wrong answers" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.tflite"], "there is no model file absent.tflite"),
        (["MODEL", "--data", "STRANGE"], "is none of the 3 labels of colours"),
        (
            ["MODEL", "--data", "PHOTOS", "-o", "absent/report.html"],
            "absent/report.html is in a folder that does not exist",
        ),
    ],
)
def test_what_cannot_be_reported_on_is_refused_in_one_sentence(
    workshop: Workshop, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "strange").mkdir()
    shutil.copytree(workshop.root / "photos" / "blue", tmp_path / "strange" / "violet")
    places = {"MODEL": "colours.tflite", "PHOTOS": "photos"}
    given = [str(workshop.root / places[a]) if a in places else a for a in arguments]
    given = [str(tmp_path / "strange") if a == "STRANGE" else a for a in given]
    result = CliRunner().invoke(app, ["report", *given])

    assert isinstance(result.exception, VitcamError)
    assert result.exception.exit_code == 2
    assert message in str(result.exception)


@pytest.mark.parametrize("width", [1280, 400])
def test_a_browser_shows_it_whole_and_complains_of_nothing(workshop: Workshop, tmp_path: Path, width: int) -> None:
    with open_browser(tmp_path, width) as driver:
        driver.get((workshop.root / "report.html").as_uri())
        broken = driver.execute_script("return [...document.images].filter((i) => !i.naturalWidth).length")
        across = driver.execute_script("return document.documentElement.scrollWidth")
        driver.execute_script("document.querySelector('.sortable th:nth-child(1) button').click()")
        names = driver.execute_script(
            "return [...document.querySelectorAll('.sortable tbody th')].map((e) => e.textContent)"
        )

        assert broken == 0
        assert across <= width
        assert names == sorted(names)
        assert console_errors(driver) == []


def test_on_paper_it_is_black_on_white_and_no_wider_than_the_page(workshop: Workshop, tmp_path: Path) -> None:
    with open_browser(tmp_path, width=687) as driver:  # A4 less its margins
        driver.get((workshop.root / "report.html").as_uri())
        dark = [{"name": "prefers-color-scheme", "value": "dark"}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": dark})
        colours = driver.execute_script(
            "const of = getComputedStyle(document.body); return [of.backgroundColor, of.color, "
            "getComputedStyle(document.documentElement).colorScheme]"
        )
        across = driver.execute_script("return document.documentElement.scrollWidth")
        cut = driver.execute_script(
            "return [...document.querySelectorAll('main *')].filter((e) => !e.closest('svg') && "
            "e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 80))"
        )

    assert colours == ["rgb(255, 255, 255)", "rgb(0, 0, 0)", "light"]
    assert across <= 687
    assert cut == []
