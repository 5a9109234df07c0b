"""The final theorems with one thing wrong in each: a sign, an index, a bound, or a hypothesis that is gone.

A hypothesis is dropped by putting ``True`` in its place, so that the proof still has something to introduce and fails
where it was needed. Coq must read the statement (a mutant that is not even well-formed shows nothing) and reject the
proof.
"""

import re
from dataclasses import dataclass

from theory.coq.compiler import library
from theory.coq.run import THEOREMS, theorem_of

_LINE = re.compile(r'^File "[^"]*", line (\d+)', re.MULTILINE)


@dataclass(frozen=True)
class TheoremMutant:
    statement: str  # whose theorem
    kind: str
    old: str
    new: str
    in_file: bool = False  # a hypothesis of the section, above the theorem

    @property
    def file(self):
        return theorem_of(self.statement).file

    @property
    def text(self):
        """The file up to the theorem's end, changed."""
        text, name = library()[self.file], theorem_of(self.statement).name
        found = re.search(rf"Theorem {name}\b.*?\nProof\..*?Qed\.\n", text, re.DOTALL)
        before, theorem = text[: found.start()], found.group()
        said, proof = theorem.split("\nProof.", 1)
        where = before if self.in_file else said
        assert where.count(self.old), f"{self}: not there"
        changed = where.replace(self.old, self.new)
        return changed + theorem if self.in_file else f"{before}{changed}\nProof.{proof}"

    def rejected(self, compiled):
        """Whether Coq read the statement, and complained after it."""
        place = _LINE.search(compiled.error)
        if place is None:  # no answer in time, or nothing wrong but sections that are still open
            return False
        lines = self.text.splitlines()
        at = int(place.group(1))
        if self.in_file:
            return at > lines.index(self._changed_line(lines)) + 1
        begins = next(i for i, line in enumerate(lines, 1) if f"Theorem {theorem_of(self.statement).name}" in line)
        return at >= next(i for i, line in enumerate(lines, 1) if i > begins and line.startswith("Proof."))

    def _changed_line(self, lines):
        return next(line for line in lines if self.new in line)

    def __str__(self):
        return f"{self.statement}, {self.kind}: {self.old} → {self.new}"


def _drop(statement, hypothesis, **options):
    return TheoremMutant(statement, "hypothesis", hypothesis, "True", **options)


def _sign(statement, old, new):
    return TheoremMutant(statement, "sign", old, new)


def _index(statement, old, new):
    return TheoremMutant(statement, "index", old, new)


def _bound(statement, old, new):
    return TheoremMutant(statement, "bound", old, new)


MUTANTS = (
    _sign("eq-td", "(b Phi D r_pi - A", "(b Phi D r_pi + A"),
    _drop("eq-td", "forall s a, mu s a = 0 -> pi s a = 0", in_file=True),
    _sign("eq-chain", "- X Phi D *m theta", "+ X Phi D *m theta"),
    _drop("eq-chain", r"forall s, \sum_a pi s a = 1", in_file=True),
    _sign("def-richardson", "(1%:M - a *: M) ^^ t *m x +", "(1%:M + a *: M) ^^ t *m x +"),
    _index("def-richardson", "gsum (1%:M - a *: M) t", "gsum (1%:M - a *: M) t.+1"),
    _drop("def-richardson", "M *m s = b"),
    _bound("prop-1", "2%:R * 'Re z", "'Re z"),
    _drop("prop-1", "0 < a"),
    _bound("eq-recursion", "a * z < 2%:R", "a * z < 3%:R"),
    _drop("eq-recursion", "forall v : 'cV[C]_F, Phi *m v = 0 -> v = 0", in_file=True),
    _index("eq-closed-form", "gsum B k", "gsum B k.+1"),
    _index("eq-geometric", "1%:M - B ^^ k /", "1%:M - B ^^ k.+1 /"),
    _drop("eq-geometric", r"A \in unitmx"),
    _sign("prop-2", "(theta0 - theta_pi)", "(theta0 + theta_pi)"),
    _index("prop-2", "gamma ^+ k", "gamma ^+ k.+1"),
    _drop("prop-2", "A *m theta_pi = b"),
    _drop("prop-2", r"X \in unitmx", in_file=True),
    _index("eq-zp", "B ^^ k.+1", "B ^^ k"),
    _bound("prop-3", "theta_pi) <-> rho_lt B 1", "theta_pi) <-> rho_le B 1"),
    _drop("prop-3", "A *m theta_pi = b"),
    _bound("claim-exponential", "rho_lt B q", "rho_le B q"),
    _drop("claim-exponential", "rho_lt B q"),
    _index("prop-4", "(fixed_points k.+1)", "(fixed_points k)"),
    _bound("prop-4", "a * z < 2%:R", "a * z < 1"),
    _sign("eq-M", "b_joint K - joint", "b_joint K + joint"),
    _index("eq-M", "char_poly X ^+ K", "char_poly X ^+ K.+1"),
    _bound("prop-5", "0 < 'Re z", "1 < 'Re z"),
    _drop("prop-5", "d *m P_mu = d", in_file=True),
    _drop("prop-6", r"A_mu \in unitmx"),
    _index("prop-7", "K.+1", "K"),
    _drop("fig-1", "stochastic P"),
    _bound("fig-1", r"*m P)) gamma.", "*m P)) 1."),
    _bound("claim-stable", "1 < `|z|", "0 < `|z|"),
    TheoremMutant("claim-baird", "sign", "& ~~ (0 < 'Re z)]", "& 0 < 'Re z]"),
    _bound("claim-baird", "*m lmx C 7 7 P)) gamma]", "*m lmx C 7 7 P)) (gamma / 2%:R)]"),
    _bound("claim-baird", "(Qmake 22 25)", "(Qmake 9 10)"),
    _index("claim-hot-start", "Q T *m", "Q T.+1 *m"),
    _bound("claim-normalise", "= alpha ^+ 2", "= alpha"),
    _drop("claim-normalise", "(forall t, g t != 0)"),
    _bound("claim-grid", "3%:R / 4%:R < x", "4%:R / 5%:R < x"),
    _sign("claim-v", "(1 - gamma)^-1", "(1 + gamma)^-1"),
    _drop("claim-v", "gamma < 1"),
    _bound("example-twostate", "(6%:R / 5%:R * gamma)", "(5%:R / 6%:R * gamma)"),
    _sign("n-step", "r_n n + gamma ^+ n", "r_n n - gamma ^+ n"),
    _index("n-step", "(k * n)", "(k + n)"),
    _drop("n-step", "Pi Phi D = 1%:M"),
    _sign("alg-1", "1%:M - alpha *:", "1%:M + alpha *:"),
    TheoremMutant("alg-1", "hypothesis", "'cV[R]_F, (forall k, sweep fixed k = fixed k)", "'cV[R]_F, True"),
    _index("alg-2", "(1%:M - Q T)", "(1%:M - Q T.+1)"),
    _index("alg-3", "G T ^^ K", "G T ^^ K.+1"),
    _sign("alg-target", "(start - invmx X", "(start + invmx X"),
    _index("sec-target", "B ^^ k *m", "B ^^ k.+1 *m"),
    _drop("sec-target", "rho_lt B 1"),
    _drop("lemma-1", r"B \in unitmx"),
    _index("prop-8", "'X^(S.+1 - F)", "'X^(S - F)"),
    _drop("prop-9", "stochastic P"),
    _drop("prop-9", r"V \in unitmx"),
    _bound("conjecture", "s * (1 + gamma) ^+ 2", "s * (1 + gamma)"),
    _drop("conjecture", "gamma * tau < 1"),
    _drop("conjecture", "Ex (fun i => H i) <= s"),
    TheoremMutant("neumann", "hypothesis", "(rho_lt B 1 -> A", "(True -> A"),
    _sign("extra-target-network", "1%:M - alpha *: (X", "1%:M + alpha *: (X"),
    _sign("extra-cold-start", "theta_pi + invmx (1%:M - M)", "theta_pi - invmx (1%:M - M)"),
    TheoremMutant("extra-cold-start", "hypothesis", "rho_lt M 1 -> forall", "True -> forall"),
    TheoremMutant("extra-basis", "hypothesis", "X Phi D = 1%:M ->", "True ->"),
    _sign("extra-basis", "'Re z < 1)", "'Re z < - 1)"),
    _index("extra-light-cone", "(t <= k)", "(t <= k.+1)"),
    _bound("extra-n-step", "(gamma ^+ n) ^+ 2 < m", "gamma ^+ n < m + 1"),
    _drop("extra-n-step", "(forall i, m <= d 0 i)"),
    _drop("extra-on-policy", "d *m P = d", in_file=True),
    _bound("extra-on-policy", "(gamma *: (Pi *m P)) gamma", "(gamma *: (Pi *m P)) (gamma / 2%:R)"),
    _sign("field-2", "X *m (1%:M - B) /\\", "X *m (1%:M + B) /\\"),
    TheoremMutant("field-2", "hypothesis", "(rho_lt B 1 ->", "(True ->"),
    _drop("field-6", "stochastic P"),
    _drop("field-6", "P *m Phi = Phi *m W"),
    _sign("field-9", "(v_pi - Pi *m v_pi)", "(v_pi + Pi *m v_pi)"),
    _drop("field-9", r"1%:M - gamma *: P \in unitmx"),
    _sign("field-10", "`|w i 0 - w j 0| ^+ 2) /", "`|w i 0 + w j 0| ^+ 2) /"),
    _drop("field-10", "m = d + m *m W", in_file=True),
    _sign("field-13", "= - eta *:", "= eta *:"),
    _drop("field-13", "gamma < 1"),
    _index("field-14", "gsum B h", "gsum B h.+1"),
    _index("field-14", "(gamma *: (Pi *m P)) h", "(gamma *: (Pi *m P)) h.+1"),
)


def without_mutant():
    """Statements with a theorem that nothing here attacks."""
    return [t.statement for t in THEOREMS if t.statement not in {m.statement for m in MUTANTS}]
