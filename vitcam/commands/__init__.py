"""The commands that end by themselves. In: settings and arguments. Out: a result on stdout."""
