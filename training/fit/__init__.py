"""Training. In: a recipe and photos. Out: a checkpoint and a line of figures for each epoch."""
