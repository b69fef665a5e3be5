"""Other cameras of the house. In: their addresses. Out: a still and a few words of each, while somebody looks."""
