"""One vocabulary: how numbers, verdicts, counts and durations are written, and the line of progress."""
