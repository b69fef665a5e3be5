"""The verbs of `vitcam` that are more than a few lines of options, one file for each noun."""
