"""The verbs of `vitcam-train`: a function each, no logic. What takes long to import is imported by its verb."""
