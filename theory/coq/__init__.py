"""The Coq kernel behind the statements: a library of hand-written proofs, an exporter, a runner.

The ``.v`` files of this package are mathematics in Coq with MathComp: sequences that vanish and spectra (``Powers``,
``Limits``, ``Spectra``), definite forms (``Definite``), Richardson iteration, positivity on-policy, the joint matrix,
and on top of them the statements of the paper, one theorem each. Nothing here imports other packages of ours: what is
exported comes as stored JSON, so that Coq checks what a reader of the files sees and not what the engine believes.
"""
