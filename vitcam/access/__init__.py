"""Who may use the HTTP interface. In: what a client shows. Out: what it may do. Keeps hashes, never a secret itself."""
