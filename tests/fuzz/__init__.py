"""Wrong input by the thousand, the same for the same seed: `make fuzz`. Each part says what it found."""

from tests.own_state import own_state

_STATE = own_state()  # a crop that a request has set is nobody's own
