"""What each part of a ViT is for, measured. In: the rows of `rows.py`. Out: a line a run, a table with text, a plot."""
