"""Pictures from addresses on the public internet. In: an address that somebody typed. Out: bytes. May block: 20 s."""
