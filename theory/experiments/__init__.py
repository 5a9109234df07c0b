"""Config in, result out: what the figures and tables are drawn from."""
