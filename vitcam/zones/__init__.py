"""Parts of the picture that are looked at by themselves (zones), and parts that nobody may see (privacy masks)."""
