"""Ways to quantise one network, side by side. In: a network and photos. Out: a table and a page."""
