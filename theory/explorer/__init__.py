"""What the explorer shows and how: everything behind the page that is not a control.

- `view`: one immutable state of the page, and what every control does to it; `session`: trying a change;
- `links`: that state as the query of an address, read back with suspicion;
- `sources`: where problems come from: catalogue, upload, Gymnasium, a seed, an edited grid;
- `panels`, `phase`, `cards`: a view as figures and as words; `exports`: as JSON, NumPy and LaTeX;
- `background`, `answers`: slow questions, asked with a button and computed beside the page;
- `identity`, `statements`: identities that a reader types and the paper's statements, for the notebook on proofs;
- `controls`: the page's controls, in marimo; `server`: the page on loopback.

Nothing that a page sends is ever evaluated: names come from lists, numbers from `parse_number`, problems from
`parse_problem`.
"""
