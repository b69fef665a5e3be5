"""Data for training. In: a name or a folder. Out: a Dataset, and batches of it. Blocks on the disk."""
