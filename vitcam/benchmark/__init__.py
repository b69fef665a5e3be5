"""How fast a model runs on this machine. In: a model and numbers of threads. Out: a row of figures for each."""
