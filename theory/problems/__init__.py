"""What is given."""
