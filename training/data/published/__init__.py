"""Data sets that others published. In: the folder of all data sets. Out: a Dataset."""
