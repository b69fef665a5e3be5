"""Only what is timed: `make bench`. Ratios of one interleaved run; no figure here is asserted."""

import atexit

from tests.own_state import own_state

atexit.register(own_state().cleanup)  # here, where each measurement passes, also one that is run alone
