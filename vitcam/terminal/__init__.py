"""Output for people. In: text, maybe untrusted. Out: results to stdout, the rest to stderr."""
