"""What `import vitcam` gives to programs: a list that changes with the version only."""

import subprocess
import sys
from pathlib import Path

import pytest

import vitcam

PAGE = Path(__file__).parents[2] / "docs" / "program" / "python.md"


def test_the_public_names_are_those_of_this_version() -> None:
    # a name that goes or changes is a new major version (before 1.0: a minor one), a further one is a minor version
    assert set(vitcam.__all__) == {
        *("Classifier", "LiveCamera", "LiveAnswer", "classify_all", "ClassifiedPhoto", "events_of_film", "Rules"),
        *("open_source", "find_images", "Source", "SourceOptions", "Sink", "Summary"),
        *("Frame", "Prediction", "Guess", "Group", "Shown", "Timings", "Event", "Unreadable"),
        *("draw_overlay", "encode_by_ending", "prediction_record", "event_record"),
        *("VitcamError", "UsageError", "SourceError", "ModelError", "SourceLost", "ConfigError", "__version__"),
    }


@pytest.mark.parametrize("name", vitcam.__all__)
def test_a_public_name_is_there_and_says_what_it_is(name: str) -> None:
    found = getattr(vitcam, name)

    assert found.__doc__
    assert f"`{name}`" in PAGE.read_text("utf-8")


def test_another_name_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match="Clasifier"):
        vitcam.Clasifier  # noqa: B018


def test_importing_vitcam_imports_nothing_heavy() -> None:
    heavy = "import vitcam, sys; print([name for name in ('cv2', 'numpy', 'aiohttp', 'rich') if name in sys.modules])"

    assert subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True).stdout.strip() == "[]"
