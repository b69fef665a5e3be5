"""`vitcam-train fit`."""

from vitcam.terminal.verbs import grouped
from vitcam_training.cli.training import FitOptions, RecipeArgument, train


@grouped
def fit(recipe: RecipeArgument = "scratch", *, options: FitOptions) -> None:
    """Train a network from scratch. The same command continues an interrupted run."""
    train(recipe, options)
