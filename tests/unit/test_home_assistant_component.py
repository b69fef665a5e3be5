"""The files of the integration for Home Assistant that no program reads here.

Home Assistant's own check (hassfest) needs a checkout of its repository, and that of HACS runs at GitHub. This one
holds what both would find in a manifest, in the translations and in the quality scale.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from vitcam.names.languages import LANGUAGES

ROOT = Path(__file__).parents[2] / "examples" / "home-assistant"
FOLDER = ROOT / "custom_components" / "vitcam"
CODE = "\n".join(path.read_text("utf-8") for path in FOLDER.glob("*.py"))
BRONZE = """action-setup appropriate-polling brands common-modules config-flow-test-coverage config-flow
dependency-transparency docs-actions docs-high-level-description docs-installation-instructions
docs-removal-instructions entity-event-setup entity-unique-id has-entity-name runtime-data test-before-configure
test-before-setup unique-config-entry"""
SILVER = """action-exceptions config-entry-unloading docs-configuration-parameters docs-installation-parameters
entity-unavailable integration-owner log-when-unavailable parallel-updates reauthentication-flow test-coverage"""


def record(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / name).read_text("utf-8"))
    return found


def texts(value: Any, path: str = "") -> dict[str, str]:
    """Path -> text, of all that stands in a file of translations."""
    if isinstance(value, str):
        return {path: value}
    return {place: text for key, each in value.items() for place, text in texts(each, f"{path}.{key}").items()}


def test_the_manifest_has_what_an_integration_of_ones_own_needs() -> None:
    manifest = record("manifest.json")

    assert {"domain", "name", "config_flow", "integration_type", "iot_class", "version", "zeroconf"} <= set(manifest)
    assert [*manifest] == ["domain", "name", *sorted(set(manifest) - {"domain", "name"})]
    assert manifest["domain"] == FOLDER.name
    assert manifest["iot_class"] == "local_push"
    assert re.fullmatch(r"\d+\.\d+\.\d+", manifest["version"])
    assert manifest["zeroconf"] == ["_vitcam._tcp.local."]
    assert set(json.loads((ROOT / "hacs.json").read_text())) == {"name", "homeassistant", "render_readme"}


def test_the_manifest_names_where_the_project_is_published_once_that_is_decided() -> None:
    """Both checks want an address and an account there. Nobody invents them."""
    home = tomllib.loads((ROOT.parents[1] / "pyproject.toml").read_text("utf-8"))["tool"]["vitcam"]["home"]
    manifest = record("manifest.json")

    assert ("integration-owner: done" in (FOLDER / "quality_scale.yaml").read_text()) == bool(home)
    for field in ("codeowners", "documentation", "issue_tracker"):
        assert (field in manifest) == bool(home), field


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
def test_each_language_of_the_product_has_every_sentence_with_its_placeholders(language: str) -> None:
    english, other = texts(record("translations/en.json")), texts(record(f"translations/{language}.json"))

    assert english.keys() == other.keys()
    for place, text in english.items():
        assert sorted(re.findall(r"{\w+}", text)) == sorted(re.findall(r"{\w+}", other[place])), place
        assert other[place].strip()


def test_there_are_as_many_languages_as_the_product_has() -> None:
    assert {path.stem for path in (FOLDER / "translations").iterdir()} == set(LANGUAGES)


def test_every_sentence_that_the_code_names_is_there_and_no_other() -> None:
    english = record("translations/en.json")
    flow = (FOLDER / "config_flow.py").read_text()
    named = {
        "steps": {*re.findall(r'step_id="(\w+)"', flow), "user", "reconfigure"},
        "errors": {*re.findall(r'Error: "(\w+)"', flow), *re.findall(r'error = "(\w+)"', flow), "cannot_connect"},
        "aborts": set(re.findall(r'reason="(\w+)"', flow)),
        "exceptions": set(re.findall(r'translation_key="(\w+)"', CODE)) - set(english["issues"]),
        "issues": set(re.findall(r'self\._show\("(\w+)"', CODE)),
        "entities": set(re.findall(r'_attr_translation_key = "(\w+)"', CODE)),
    }

    of_home_assistant = {"already_configured", "already_in_progress", "reauth_successful", "reconfigure_successful"}
    assert named["steps"] == set(english["config"]["step"])
    assert named["errors"] == set(english["config"]["error"])
    assert named["aborts"] | of_home_assistant == set(english["config"]["abort"])
    assert named["exceptions"] == set(english["exceptions"])
    assert named["issues"] == set(english["issues"])
    assert named["entities"] == {key for platform in english["entity"].values() for key in platform}
    icons = record("icons.json")["entity"]
    assert {key for platform in icons.values() for key in platform} <= named["entities"]


def test_every_rule_of_bronze_and_silver_is_done_or_says_why_not() -> None:
    text = (FOLDER / "quality_scale.yaml").read_text()
    rules = dict(re.findall(r"^  ([a-z-]+):(?: (\w+))?$", text, re.MULTILINE))
    reasons = re.findall(r"^  ([a-z-]+):\n    status: (?:exempt|todo)\n    comment: \S.+$", text, re.MULTILINE)

    assert {*BRONZE.split(), *SILVER.split()} <= set(rules)
    assert {rule for rule, status in rules.items() if status != "done"} == set(reasons)
    assert ("quality_scale" in record("manifest.json")) == ("status: todo" not in text)
