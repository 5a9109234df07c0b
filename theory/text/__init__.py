"""One vocabulary: how numbers, verdicts and tables are written."""
