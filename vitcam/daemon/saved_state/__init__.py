"""What a daemon remembers from one start to the next, in the state folder. Whatever is damaged costs only itself."""
