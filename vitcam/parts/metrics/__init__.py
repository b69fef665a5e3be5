"""What a run says of itself to Prometheus. In: state, times and events of the run. Out: a text of figures."""
