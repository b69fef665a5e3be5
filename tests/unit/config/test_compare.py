"""Which settings a run can take over, and which need a restart."""

from dataclasses import replace

from vitcam.config.camera import CameraSettings
from vitcam.config.compare import Changes, with_changes
from vitcam.config.settings import EventSettings, Settings
from vitcam.config.web import WebSettings

OTHER = Settings(
    camera=CameraSettings(source="demo", crop="0,0,0.5,1"),
    events=EventSettings(enter=0.7, leave=0.1),
    web=WebSettings(port=9000),
)


def test_settings_that_are_equal_have_no_changes_to_speak_of() -> None:
    changes = Changes.between(Settings(), Settings())

    assert changes == Changes((), ())
    assert str(changes) == "no setting has changed"
    assert changes.restart_sentence == ""


def test_each_changed_setting_is_named_under_what_it_needs() -> None:
    changes = Changes.between(Settings(), OTHER)

    assert changes.live == ("camera.crop", "events.enter", "events.leave")
    assert changes.restart == ("camera.source", "web.port")
    assert str(changes) == (
        "new values are used for camera.crop, events.enter and events.leave; "
        "a restart is needed for camera.source and web.port"
    )
    assert (changes.touch("events"), changes.touch("web")) == (True, False)


def test_a_run_takes_over_what_is_live_and_nothing_else() -> None:
    taken = with_changes(Settings(), OTHER, Changes.between(Settings(), OTHER).live)

    assert taken == Settings(camera=CameraSettings(crop="0,0,0.5,1"), events=OTHER.events)


def test_what_needs_a_restart_is_named_at_the_next_reload_again() -> None:
    taken = with_changes(Settings(), OTHER, Changes.between(Settings(), OTHER).live)

    assert Changes.between(taken, OTHER) == Changes((), ("camera.source", "web.port"))
    assert Changes.between(taken, replace(OTHER, web=WebSettings())).restart == ("camera.source",)
