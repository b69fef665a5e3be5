"""`python -m vitcam` is the command `vitcam`."""

from vitcam.cli import main

main()
