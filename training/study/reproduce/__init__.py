"""Trainings that circulate, with exactly their settings, each beside its corrected twin. Out: a page of figures."""
