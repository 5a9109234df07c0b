"""One profile for hypothesis: no deadlines on a noisy machine, and the same examples on every run.

``HYPOTHESIS_PROFILE=wild`` draws new examples each time, to look for what the fixed ones miss.
"""

import os

from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True, database=None)
settings.register_profile("wild", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "house"))


def pytest_terminal_summary(terminalreporter):
    """Counts that a test recorded (the prover's mutants) are part of the output, also from other processes."""
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name == "mutants":
                terminalreporter.write_line(f"mutants of the proved identities: {value}")
