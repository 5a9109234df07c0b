"""Results become files: what `theory report` writes into ``reports/``."""
