"""Networks that others published: where they lie, and how each library saves them."""
