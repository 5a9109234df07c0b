"""How a problem is solved: every linear method of the field as one family.

Nearly all methods of off-policy value prediction with linear features solve Aθ = b, A = X − γY, by the same kind of
step with another preconditioner, or solve a changed system. A `Method` with its parameters says of a problem which
system its θ solves, by which expected iteration, and which question decides whether that converges.

=============  ==================================================================================
module         what is in it
=============  ==================================================================================
`model`       what formulas are written in: γ, Φ, P, D, X, Y, A, b in floats or exactly
`method`       `Method`, its parameters, and the three kinds of expected iteration
`outcome`      does it converge (certified), where does it rest, how fast
`parameters`   for which values of a parameter does it converge: all of them
`whole_numbers` for which n, and for which T, all at once
`family`       methods found in the files here, by name or alias, with parameters behind the name
`basic`        off-policy-td, whitened-td, ridge-td
`chains`       chain, damped-chain, ridge-chain, fixed-horizon
`targets`      target-network, soft-target, both with a ridge
`multi_step`   n-step-td, n-step-chain, td-lambda
`policy_traces` tree-backup, v-trace, abtd, naive-residual-gradient
`emphatic`     etd, etd-beta, ridge-etd
`gradient`     gtd, gtd2, gtd2-mp, tdc, tdrc, htd, and with traces
`minimisers`   lstd, residual-gradient
=============  ==================================================================================
"""
