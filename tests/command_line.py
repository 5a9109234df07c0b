"""The command line, called in this process."""

import pytest

from theory.cli import main


def run(capsys, *arguments):
    """Exit code, standard output and standard error of one call."""
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return stop.value.code, *capsys.readouterr()
