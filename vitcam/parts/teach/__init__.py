"""From named photos to a model that knows their labels, in seconds and on the device: rows of a head, nothing else."""
