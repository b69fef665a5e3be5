"""What each mistake that circulates costs. In: the rows of `rows.py`. Out: a line a run, a page with curves."""
