"""Decisions with a proof: questions, cheap proofs before expensive ones, evidence, and an independent recheck.

=================  ======================================================================
module             what it does
=================  ======================================================================
answers            yes, no or undecided; verdicts; brackets between two opposite ones
verdicts           what can be asked of a problem
certificates       questions, evidence, documents
decide             from a question to a verdict; `uniform` of the question about every Φ
ladder, structure  from a pencil to evidence: cheap certificates before expensive ones
doubles, bounded   proofs in double precision with one bound, and with a bound an entry
balls, pencils     the same in interval arithmetic, and exactly
candidates         where evidence comes from; nothing there has to be right
enclosed_chain     θᵏ for any k, to as many digits as are asked for
enclosed_spectra   eigenvalues and the largest step size, with certified digits
recheck            checks a certificate, and shares no code with what made it
=================  ======================================================================
"""
