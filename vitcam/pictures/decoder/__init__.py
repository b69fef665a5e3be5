"""A process that decodes untrusted pictures. In: bytes. Out: pixels. May block: until its time limit."""
