"""The verbs of second models."""
