"""Only what is timed: `make bench`. Ratios of one interleaved run; no figure here is asserted."""
