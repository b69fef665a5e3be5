"""What holds for every request: limits, names, bodies, headers. In: a request. Out: it, checked, or a refusal."""
