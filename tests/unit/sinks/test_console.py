import io
from dataclasses import replace

from rich.console import Console

from tests.frames import SECOND, prediction
from vitcam.frames import Event, Prediction
from vitcam.sinks.console import RichConsole


def drawn(*predictions: Prediction) -> str:
    """What is on the screen after these, without the movements of the cursor."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=80, height=20, color_system=None)
    sink = RichConsole(console, every=False, labels=("cup", "pagoda"))
    for each in predictions:
        out.truncate(0)
        sink.prediction(each, changed=True)
    found = out.getvalue()
    sink.close(None)
    return found


def zone(name: str, label: str, at_s: float = 0.0) -> Prediction:
    return replace(prediction(label, at_ns=int(at_s * SECOND)), zone=name)


def test_a_terminal_shows_a_line_for_each_zone() -> None:
    found = drawn(zone("road", "cup"), zone("door", "pagoda"), zone("road", "cup"))

    assert found.index("door  pagoda") < found.index("road  cup")


def test_a_zone_that_is_not_looked_at_any_more_leaves_the_terminal() -> None:
    found = drawn(zone("road", "cup"), zone("door", "pagoda", 11.0))

    assert "road" not in found
    assert "inference" in found


def test_the_whole_view_alone_is_shown_once_there_are_no_zones() -> None:
    found = drawn(zone("road", "cup"), zone("door", "cup"), prediction("pagoda"))

    assert "road" not in found
    assert "pagoda" in found
    assert "inference" in found


def test_the_line_of_an_event_says_in_which_zone_it_is() -> None:
    out = io.StringIO()
    sink = RichConsole(Console(file=out, width=80), every=False, labels=("cup",))
    sink.event(Event("1", "new", "cup", 0.9, 0, None, "test", zone="door"))
    sink.close(None)

    assert "sees  cup  90%  in door" in out.getvalue()
