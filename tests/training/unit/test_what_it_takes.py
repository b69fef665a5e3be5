"""Before fine-tuning begins, people read how long it takes and that teaching takes less."""

import re
from dataclasses import replace
from pathlib import Path

from vitcam_training.cli.training import what_it_takes
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.recipes.recipe import read_recipe


def minutes(text: str) -> int:
    found = re.search(r"([\d,]+) min", text)
    assert found, text
    return int(found[1].replace(",", ""))


def test_the_time_grows_with_labels_and_epochs_and_vitcam_teach_is_named() -> None:
    recipe = read_recipe("folder")
    labels = tuple("abcdefghij")
    few, many = (
        Dataset("photos", labels[:count], {"train": tuple(Sample(Path(f"{i}.jpg"), i % count) for i in range(60))})
        for count in (5, 10)
    )
    longer = replace(recipe, train=replace(recipe.train, epochs=10 * recipe.train.epochs))

    assert 3 <= minutes(what_it_takes(recipe, few)) <= 6, "five minutes were measured for 200 photos of five labels"
    assert minutes(what_it_takes(recipe, many)) == 2 * minutes(what_it_takes(recipe, few))
    assert minutes(what_it_takes(longer, few)) == 10 * minutes(what_it_takes(recipe, few))
    assert "`vitcam teach`" in what_it_takes(recipe, few)
    assert "--dry-run" in what_it_takes(recipe, few)
