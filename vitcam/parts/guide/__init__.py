"""What a first run needs: which cameras there are and what they see, passwords, and the address as a code to scan."""
