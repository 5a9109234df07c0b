"""Result in, figure out: nothing is computed here, and nothing global is set."""
