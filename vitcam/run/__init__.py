"""The contract between a run and its parts: what a part is, what its objects may ask for, and what they are given."""
