"""The numbers of a problem, in floats: moments, fixed points, iterations, spectra."""
