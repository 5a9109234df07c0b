"""What the explorer shows and how: everything behind the page that is not a control.

- `view`: one immutable state of the page, and what every control does to it; `session`: trying a change;
- `texts`: what others wrote and long numbers, made fit for a page;
- `links`: that state as the query of an address, read back with suspicion;
- `sources`: where problems come from: catalogue, upload, Gymnasium, a seed, an edited grid;
- `panels`, `premises`, `phase`, `cards`, `rulers`: a view as figures and as words; `exports`: as JSON, NumPy and LaTeX;
- `worker`: another process; `questions`: what it is asked; `background`: jobs; `slow`, `answers`: how they are shown;
- `rates`: counts as a chart and a table; for notebooks;
- `controls`, `grids`: the page's controls, in marimo; `page`, with its css and js: the page; `server`: it on loopback.

Nothing that a page sends is ever evaluated: names come from lists, numbers from `parse_number`, problems from
`parse_problem`.
"""
