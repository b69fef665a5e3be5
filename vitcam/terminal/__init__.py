"""What a person sees on a terminal. In: text, maybe of others. Out: results to stdout, the rest to stderr."""
