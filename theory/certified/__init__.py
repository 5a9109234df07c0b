"""Decisions with a proof: questions, cheap proofs before expensive ones, evidence, and an independent recheck.

=================  ======================================================================
module             what it does
=================  ======================================================================
answers            yes, no or undecided; verdicts
verdicts           what can be asked of a problem; `uniform` of the question about every Φ
questions          a small type a question: its numbers, its words, its pencil
decide             from a question to a verdict: floats, exact counts of roots, balls
proofs             eigenvalue problems, evidence and why it proves an answer, in any arithmetic
large              the questions about large problems, from moments between bounds
enclosed_spectra   eigenvalues and the largest step size, with certified digits
recheck            checks a certificate, and shares no code with what made it
=================  ======================================================================
"""
