"""The numbers of a problem, in rational arithmetic: moments, fixed points, thresholds, certified verdicts."""
