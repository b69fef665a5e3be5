"""One file that carries a vitcam to another machine. In: folders. Out: a tar archive with a manifest, and back again.

Nothing in an archive is believed before it is checked: names, kinds, sizes and SHA-256.
"""
