"""Every method of the field on the same random problems: who solves how many, who rescues whom, why TD and chain fail.

Methods have their default parameters, target networks α = 1/(2λ_max(X)). F = S − 1, where neither TD nor the chain is
safe by algebra.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from theory.figures._figure import BEYOND, Caption, Data, FigureSpec, Kept, Row, Work
from theory.figures._random_problems import CHUNK, GAMMA, Size, amount
from theory.figures.live.joint_methods import CAUSES, plot_joint
from theory.montecarlo import Cell, Study, run_study
from theory.montecarlo.joint import store_path, version

METHODS = (
    *("off-policy-td", "whitened-td", "ridge-td", "chain", "damped-chain", "ridge-chain", "fixed-horizon"),
    *("etd", "gtd2", "tdc", "tdrc", "lstd", "residual-gradient"),
    *("n-step-td", "n-step-chain", "td-lambda", "target-network", "soft-target"),
)  # one of each kind: gradient methods with traces, or targets with a ridge, do as these do
SIZES = {"quick": Size((3, 5, 10), 300), "full": Size((3, 5, 10, 20, 30), 10_000)}
KEPT = Kept(store_path, version, "problems")


def compute(size: Size, seed: int, work: Work) -> Data:
    """One row a size, with a line a method."""
    cells = tuple(Cell(S, S - 1, GAMMA) for S in size.states)
    study = Study(cells, size.samples, seed, CHUNK, METHODS)
    with work.open_store() as store:
        rows = run_study(study, store, work.executor, work.progress)
    return {"gamma": float(GAMMA), "rows": rows}


def rows(result: Data) -> list[Row]:
    """For CSV: a line for every size and method; causes are counted of TD and the chain."""
    found = []
    for row in result["rows"]:
        names = [m["method"] for m in row["methods"]]
        for i, m in enumerate(row["methods"]):
            kind = {"off-policy-td": "td", "chain": "chain"}.get(m["method"])
            causes = None if kind is None else row["causes"][kind]
            found.append(
                {key: row[key] for key in ("states", "features", "samples", "undecided")}
                | {"method": m["method"], "converges": m["converges"], "rate": m["rate"]}
                | dict(zip(("rate_low", "rate_high"), m["ci95"], strict=True))
                | {f"fails_by_{name}": None if causes is None else causes.get(name, 0) for name in CAUSES}
                | {f"rescued_by_{name}": row["rescued"][i][j] for j, name in enumerate(names)}
            )
    return found


def plot(result: Data) -> Figure:
    """Failures, rescues and causes."""
    return plot_joint(result["rows"])


def caption(result: Data) -> Caption:
    """What the largest size says."""
    row = result["rows"][-1]
    by_name = {m["method"]: m for m in row["methods"]}
    never = [name for name, m in by_name.items() if m["converges"] == row["samples"] - row["undecided"]]
    td, chain = (f"{100 * (1 - by_name[name]['rate']):.1f}%" for name in ("off-policy-td", "chain"))
    failed = sum(row["causes"]["chain"].values())
    share = f"{row['causes']['chain'].get('determinant', 0)} of the chain’s {failed} failures have det A < 0"
    return Caption(
        "Every method on the same random problems with F = S − 1 features, each with its default parameters (target "
        f"networks with α = 1/(2λ_max(X))); γ = {result['gamma']:g}, {row['samples']:,} problems a size, 95% Wilson "
        "intervals. Left: how often it fails. Right, of the largest size: which share of a method’s failures another "
        "solves. Below: the eigenvalue that decides where TD and the chain fail. Verdicts on these two are proofs, as "
        "in the figures of random problems; on others eigenvalues in doubles, exact arithmetic where they are "
        "close, or a theorem.",
        f"Three panels. At S = {row['states']} off-policy TD fails on {td} and the chain on {chain} of the problems; "
        f"{share}. On none fail {', '.join(never) or 'no methods'}.",
        amount(result),
    )


FIGURE = FigureSpec(
    title="Who solves random problems: every method of the field",
    section=BEYOND,
    sizes=SIZES,
    compute=compute,
    rows=rows,
    plot=plot,
    caption=caption,
    seconds=(5, 160),
    kept=KEPT,
)
