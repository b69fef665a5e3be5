"""What a Cortex-A76, the Raspberry Pi 5's processor, makes of our file and of others': `make bench-aarch64`.

In: model files of one network. Out: whether aarch64 answers as x86 does, and instructions an inference, counted in
qemu-user with the wheels that a Pi would install. Nothing is timed: emulated time says nothing of a Pi's.
"""
