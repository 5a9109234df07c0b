"""Pictures of what a user brings: a problem, or runs of learners."""
