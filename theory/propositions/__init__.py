"""One file a statement of the paper: what it says, what is true, and how that is shown."""
