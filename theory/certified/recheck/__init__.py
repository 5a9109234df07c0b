"""An independent checker of certificates: plain integers and fractions, nothing else of this package."""
