"""What people call the labels and groups of a model: in their language, and by names of their own."""
