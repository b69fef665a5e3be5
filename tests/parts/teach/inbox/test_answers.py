from pathlib import Path

import pytest

from tests.parts.teach.inbox.entries import JPEG, entry, looks
from tests.refusals import naming
from vitcam.errors import UsageError
from vitcam.model import bundle
from vitcam.model.files import find_model
from vitcam.model.taught import digest_of
from vitcam.parts.teach.datasets.store import DataSets
from vitcam.parts.teach.inbox.answers import InboxAnswers
from vitcam.parts.teach.inbox.store import Inbox, InboxLimits
from vitcam.parts.teach.inbox.target import target_of


@pytest.fixture
def answers(tmp_path: Path) -> InboxAnswers:
    inbox = Inbox(tmp_path, InboxLimits(9, 10.0))
    for number in range(3):
        inbox.add(entry(number), JPEG + bytes([number]))
    return InboxAnswers(inbox, DataSets(tmp_path, 10.0))


def test_a_named_picture_goes_into_the_data_set_and_can_be_taken_back(answers: InboxAnswers) -> None:
    answers.name(entry(1).id, "mine", "cup")
    named = answers.data_sets.picture("mine", "cup", f"{entry(1).id}.jpg").read_bytes()
    waiting = [each.id for each in answers.inbox.entries()]
    like_it = answers.inbox.nearest(looks(0.0, 1.0), "a")
    answers.take_back(entry(1).id)

    assert named == JPEG + b"\1", "without what was known of it"
    assert waiting == [entry(0).id, entry(2).id]
    assert like_it == pytest.approx(1.0, abs=1e-3), "so it is not asked about again"
    assert len(answers.inbox.entries()) == 3
    assert answers.data_sets.all()[0].labels == {}
    with pytest.raises(UsageError):
        answers.take_back(entry(1).id)


def test_an_answer_is_taken_back_also_where_more_informative_pictures_have_filled_the_inbox(
    answers: InboxAnswers,
) -> None:
    answers.name(entry(1).id, "mine", "cup")
    answers.inbox.limits = InboxLimits(3, 10.0)
    answers.inbox.add(entry(3, doubt=0.95), JPEG)
    answers.take_back(entry(1).id)
    answers.inbox.add(entry(4, doubt=0.9), JPEG)
    waiting = [each.id for each in answers.inbox.entries()]
    answers.name(entry(1).id, "mine", "cup")
    answers.inbox.limits = InboxLimits(0, 10.0)
    with pytest.raises(UsageError, match=naming("inbox.pictures")):
        answers.take_back(entry(1).id)

    assert len(waiting) == 3
    assert entry(1).id in waiting
    assert answers.data_sets.picture("mine", "cup", f"{entry(1).id}.jpg").exists(), "nothing was changed"


def test_what_was_thrown_away_is_on_no_disk_and_can_be_taken_back_until_masks_are_drawn(
    answers: InboxAnswers, tmp_path: Path
) -> None:
    answers.throw_away(entry(0).id)
    left = sorted(path.name for path in tmp_path.rglob("*.jpg"))
    answers.take_back(entry(0).id)
    back = len(answers.inbox.entries())
    answers.throw_away(entry(0).id)
    answers.drop_pixels()

    assert left == [f"{entry(number).id}.jpg" for number in (1, 2)]
    assert back == 3
    with pytest.raises(UsageError):
        answers.take_back(entry(0).id)


@pytest.mark.parametrize(
    ("dataset", "label"), [("mine", ""), ("mine", "a/b"), ("mine", "unknown"), ("../x", "cup"), ("mine", "x" * 99)]
)
def test_a_name_that_cannot_be_one_changes_nothing(answers: InboxAnswers, dataset: str, label: str) -> None:
    with pytest.raises(UsageError):
        answers.name(entry(1).id, dataset, label)

    assert len(answers.inbox.entries()) == 3


def test_where_the_data_sets_have_no_room_the_picture_still_waits(answers: InboxAnswers) -> None:
    answers.data_sets.max_mb = 0
    with pytest.raises(UsageError, match=naming("collect.max_mb")):
        answers.name(entry(1).id, "mine", "cup")

    assert len(answers.inbox.entries()) == 3


def test_a_picture_that_was_moved_meanwhile_stays_where_it_is(answers: InboxAnswers) -> None:
    answers.name(entry(1).id, "mine", "cup")
    answers.data_sets.rename("mine", "cup", f"{entry(1).id}.jpg", "mug")
    with pytest.raises(UsageError):
        answers.take_back(entry(1).id)

    assert len(answers.inbox.entries()) == 2
    assert answers.data_sets.all()[0].labels == {"mug": 1}


def test_corrections_are_the_named_pictures_that_the_model_was_not_taught_with(answers: InboxAnswers) -> None:
    answers.data_sets.add("mine", "cup", "20260101T000000-001.jpg", JPEG)
    nothing = answers.untaught.count("other", frozenset())
    for number in range(2):
        answers.name(entry(number).id, "mine", "cup")

    assert nothing == 0
    assert answers.untaught.count("mine", frozenset()) == 2
    assert answers.untaught.count("mine", frozenset({digest_of(JPEG + b"\0")})) == 1


def test_a_model_that_was_taught_here_is_taught_again_and_any_other_gets_labels_beside_its_own(
    answers: InboxAnswers,
) -> None:
    from dataclasses import replace

    described = bundle.read(find_model("everyday"))
    assert described is not None
    card = described.card
    answers.data_sets.add("mine", "cup", "20260101T000000-001.jpg", JPEG)

    def lesson(**fields: object) -> tuple[str, str, bool]:
        found = target_of(replace(card, **fields), "in use", answers.data_sets)  # type: ignore[arg-type]
        return found.dataset, found.base, found.add_to

    about = {"taught_from": "everyday", "dataset": "mine"}
    assert lesson() == ("mine", "in use", True)
    assert lesson(row_capacity=0) == ("mine", "everyday", True)
    assert lesson(taught="alone", provenance=about) == ("mine", "everyday", False)
    assert lesson(taught="added", provenance=about) == ("mine", "everyday", True)
    assert lesson(taught="alone", provenance={**about, "dataset": "photos"}) == ("mine", "everyday", True)
    assert lesson(taught="alone", provenance={**about, "dataset": "../.."}) == ("mine", "everyday", True)
