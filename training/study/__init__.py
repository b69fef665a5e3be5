"""Studies: what was measured of networks, models and methods, once each. No part of the product imports them."""
