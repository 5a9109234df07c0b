"""What recorded transitions say about TD and the chain, and how sure that is."""
