"""What is the same for every request: limits, checks, bodies, headers. In: a request. Out: it, checked, or an error."""
