"""The story of a statement prints the matrices of a problem once."""

from tests.command_line import run


def test_matrices_that_were_printed_are_not_printed_again(capsys):
    code, out, _ = run(capsys, "verify", "claim-baird")
    assert code == 0
    assert out.count("P_π = [[") == 1
    assert out.count("baird-reward: as above\n") == 2
    assert out.count("baird-reward: as above, at γ = 4/5") == 1
