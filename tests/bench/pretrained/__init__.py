"""Whether networks that other libraries saved answer here as there: python -m tests.bench.pretrained."""
