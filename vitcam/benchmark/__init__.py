"""How fast a model runs here. In: a model and numbers of threads. Out: a row of figures for each."""
