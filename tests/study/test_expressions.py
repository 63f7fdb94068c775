"""Expressions: the values of Python's own arithmetic, and refusals in place of computation."""

import contextlib
import math
import signal
import time
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fastgc import theory
from fastgc.errors import FastgcError, StoppedError
from fastgc.registry import toml
from fastgc.study.claims import read
from fastgc.study.expressions import expression as deadlines
from fastgc.study.expressions import functions
from fastgc.study.expressions.expression import Expression, Names, Steps, TimeBudget
from fastgc.theory import by_name
from suite import checks
from suite.waiting import HUNG, hears, until

POINT = Names({"code.n": 8, "code.d": 2, "stragglers.p": 0.2, "system.k": [4, 3, 2]})


def value(text, names=POINT):
    return Expression(text).value(names)


def refusal(text, names=POINT):
    said = checks.refusal(value, text, names)
    assert len(said) < 400
    return said


# ---- Python's own arithmetic, on expressions that are made here and safe to evaluate

_ATOMS = st.one_of(
    st.integers(0, 12).map(str), st.sampled_from(["0.5", "1e-3", ".25", "2.", "n", "d", "p", "pi"])
)


_TWO = [f"({{}}) {sign} ({{}})" for sign in ("+", "-", "*", "/", "//", "%")]
# without parentheses: precedence and association are Python's too
_TWO += [text.replace("(", "").replace(")", "") for text in _TWO] + ["min({}, {})"]


def _larger(inner):
    return st.one_of(
        st.builds(str.format, st.sampled_from(_TWO), inner, inner),
        st.builds("({})**({})".format, inner, st.integers(-3, 3)),
        st.builds(str.format, st.sampled_from(["-({})", "abs({})"]), inner),
        st.builds("({0}) if ({1}) < ({2}) else max({1}, {2})".format, inner, inner, inner),
        st.builds("sum(({}) * i for i in range({}))".format, inner, st.integers(0, 5)),
    )


@given(st.recursive(_ATOMS, _larger, max_leaves=12))
@example("2**-1")
@example("-2**2")
@example("2 - 3 - 4")
@example("7 // -2 + 7 % -2")
def test_values_are_those_of_python(text):
    try:
        known = {"n": 8, "d": 2, "p": 0.2, "pi": math.pi, **_BUILTINS}
        expected = eval(text, {"__builtins__": {}, **known})
    except (ArithmeticError, SyntaxError):
        expected = None
    is_finite = not isinstance(expected, float) or math.isfinite(expected)
    if expected is None or isinstance(expected, complex) or not is_finite:
        with pytest.raises(FastgcError):
            value(text)
        return
    try:
        found = value(text)
    except FastgcError as problem:
        # an infinite or complex part may vanish from Python's result, and is refused here
        assert "infinite" in str(problem) or "complex" in str(problem), text
        return
    if isinstance(expected, int):
        assert found == expected and isinstance(found, int)
    else:
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize(("text", "exact"), [
    ("1 - (1 - p)**3", 1 - (1 - Fraction(0.2)) ** 3),
    ("n / 3 * p", Fraction(8, 3) * Fraction(0.2)),
    ("sum(p**i for i in range(n / d))", sum(Fraction(0.2) ** i for i in range(4))),
    ("(n / d)**2", 16),
])  # fmt: skip
def test_values_in_fractions(text, exact):
    found = Expression(text).value(POINT, Steps(is_rational=True))
    assert found == exact and not isinstance(found, float)
    functions = Expression(f"exp({text}) - 1").value(POINT, Steps(is_rational=True))
    assert isinstance(functions, float), "a function rounds"


def test_closed_forms_round_within():
    with pytest.raises(FastgcError, match="rounds within"):
        Expression("agc.frc_mean_error(n, d, p=p)").value(POINT, Steps(is_rational=True))


_BUILTINS = {"abs": abs, "min": min, "max": max, "sum": sum, "range": range}


_WORDS = """n d p k 0 1 2 9 . e ( ) [ ] , + - * / ** // % < > = if else for in and or not
           sum( max( binomial( agc.theorem1( range( lambda : ' _ __class__"""
_SAID = st.lists(st.sampled_from(_WORDS.split()), max_size=25)


@given(st.text(max_size=60) | _SAID.map("".join) | _SAID.map(" ".join))
@settings(max_examples=180)
@example("\x00")
@example("1\n2")
@example("#")
@example("1_000if 1 else 2")
@example("ﬁ")
def test_any_text_is_a_value_or_one_sentence(text):
    try:
        found = value(text)
    except FastgcError as problem:
        assert "\n" not in str(problem)
    else:
        assert math.isfinite(found)


# ---- functions


@pytest.mark.parametrize(("text", "expected"), [
    ("binomial(n, d)", 28), ("comb(n, 4 / 2)", 28), ("binomial(n, 9) + binomial(n, -1)", 0),
    ("binomial(0, 0)", 1), ("factorial(5)", 120), ("factorial(1000) / factorial(998)", 999000),
    ("harmonic(0)", 0), ("harmonic(4)", 25 / 12), ("sqrt(n * d) + log(e) + log(8, 2)", 8),
    ("floor(2.5) + ceil(2.5)", 5), ("gamma(5) + abs(-1)", 25),
    ("sum(k) + len(k) + k[0] + k[-1]", 9 + 3 + 4 + 2),
    ("max(x**2 for x in k)", 16), ("prod(n - i for i in range(d))", 56),
    ("sum(sum(i * j for j in range(i)) for i in range(4))", 11),
    ("sum(i for i in range(3)) + sum(i for i in range(3, 0, -1))", 9),
    ("0 if n < d or not d == 2 else 1", 1), ("1 if 0 < d <= n and p != 1 else 0", 1),
    ("agc.frc_mean_error(n, d, survivors=5)", 6 / 7),
    ("agc.frc_mean_error(n, d, survivors=[0, 8])[0]", 8),
])  # fmt: skip
def test_functions(text, expected):
    assert value(text) == pytest.approx(expected, rel=1e-14)


@given(st.integers(0, 3000))
def test_harmonic_numbers(n):
    exact = sum((Fraction(1, i) for i in range(1, n + 1)), Fraction(0)) if n < 200 else None
    expected = float(exact) if exact is not None else math.fsum(1 / i for i in range(1, n + 1))
    assert functions.harmonic(n) == pytest.approx(expected, rel=1e-14)


# ---- names


def test_names_by_their_ends():
    names = Names({"code.n": 8, "system.n": 3, "work": 1.0, "stragglers.work": 2.0, "p": 0.5})
    assert value("code.n + system.n + p", names) == 11.5
    assert value("work + stragglers.work", names) == 3
    assert refusal("n", names) == "n stands in several tables; write code.n or system.n"
    assert refusal("q", names).endswith("names: code.n, system.n, work, stragglers.work, p")
    assert "n" in names and "m" not in names
    assert value("e", Names({"code.e": 3})) == 3 and value("pi + e") == math.pi + math.e


def test_an_unknown_name_is_answered_with_the_known_ones():
    assert refusal("n * q") == "there is no q here; names: n, d, p, k"
    assert refusal("pp") == "there is no pp here; did you mean 'p'? names: n, d, p, k"
    assert refusal("cod.n") == "there is no cod.n here; names: n, d, p, k"


# ---- refused, and not computed


@pytest.mark.parametrize(("text", "said"), [
    ("9**9**9**9", "9 ** 9 ** 9 is an integer of more than 32768 bits"),
    ("2**(10**9)", "is an integer of more than 32768 bits"),
    ("10**9000 * 10**9000", "is an integer of more than 32768 bits"),
    ("factorial(10**9)", "factorial(10 ** 9) is an integer of more than 32768 bits"),
    ("factorial(10**9000)", "is an integer of more than 32768 bits"),
    ("binomial(10**9000, 10**4)", "is an integer of more than 32768 bits"),
    ("binomial(10**9, 5 * 10**8)", "is an integer of more than 32768 bits"),
    ("(" * 10_000 + "1" + ")" * 10_000, "is too long: 20001 characters"),
    ("(" * 1_900 + "1" + ")" * 1_900, "is nested too deeply"),
    ("-" * 3_900 + "1", "is nested too deeply"), ("1+" * 1_900 + "1", "is nested too deeply"),
    ("lambda: " + "1+" * 1_900 + "1", "is nested too deeply"),
    ("sum(i for i in range(10**12))", "needs more than 300000 steps"),
    ("prod(9**9999 for i in range(10**6))", "needs more than"),
    ("agc.frc_mean_error(10**12, 2, survivors=5)", "has a whole argument above 100000"),
    ("harmonic(10**9000)", ""),
])  # fmt: skip
def test_what_would_take_for_ever_is_refused_at_once(text, said):
    try:
        assert said in refusal(text)
    except pytest.fail.Exception:
        assert said == ""  # it has a value, and that at once


@pytest.mark.parametrize(("text", "said"), [
    ("n % 0", "n % 0 divides by 0"), ("0.0 ** -1", "0.0 ** (-1) divides by 0"),
    ("1e400", "is infinite"),
    ("1e308 * 10 - 1e308 * 10", "1e+308 * 10 is infinite"),
    ("exp(1000)", "exp(1000) is too large for a number"),
    ("10**400 / 3", "is too large for a number"),
    ("(0 - 1)**0.5", "(0 - 1) ** 0.5 is complex, no real number"),
    ("1j", "1j is no real number"), ("log(0)", "log(0) has no real value"),
    ("factorial(-1)", "factorial(-1) wants a number of at least 0 (got -1)"),
    ("binomial(n, p)", "binomial(n, p) wants whole numbers (got 0.2)"),
    ("True", "True is no real number"),
    ("n < d", "n < d is true or false; a number is needed"),
    ("1 if n else 2", "n is no condition; compare it, like n > 2"),
    ("n^2", "n ^ 2: ^ is no power; write **"),
    ("n is d", "n is d: numbers are compared by"),
    ("2n", "cannot be read as an expression (invalid decimal literal, at character 1)"),
    ("n d", "cannot be read as an expression"), ("", "is empty"), (" ", "is empty"),
    ("k", "is a list; a number is needed, like k[0] or sum(k)"),
    ("k + 1", "arithmetic takes numbers (got a list)"),
    ("k[3]", "k[3]: there is no entry 3 of 3, counted from 0"),
    ("k[0.5]", "k[0.5]: only a list has entries, by whole numbers"),
    ("sum(1, 2)", "sum takes one list, or sum(x for i in range(n))"),
    ("max()", "max needs at least one number"),
    ("max(n, k)", "max takes numbers (got a list)"),
    ("binomial(n)", "binomial takes 2 numbers (got 1)"),
    ("sqrt(x=2)", "sqrt takes numbers without names (got x=)"),
    ("sum(i for i in range(1.5))", "a range is of 1 to 3 whole numbers"),
    ("sum(i for i in range(0, 3, 0))", "a range goes by steps other than 0"),
    ("sum(i for i in n)", "n: a sum is over a range or a list"),
    ("sum(i for i in k if i > 2)", "sums are written sum(p**i for i in range(n))"),
    ("agc.frc_mean_error(**k)", "arguments must be named one by one"),
    ("squrt(2)", "there is no function squrt; did you mean 'sqrt'?"),
    ("agc.teorem1(8)", "unknown closed form 'agc.teorem1'; did you mean 'agc.theorem1', "),
    ("agc.frc_mean_error(8, 2)", "survivors, p: give exactly one"),
    *((text, "is no arithmetic") for text in
      ("lambda: 1", "[i for i in k]", "{1: 2}", "(n := 3)", "f'{n}'", "n << 3", "~n", "n | d")),
    ("__import__('os').system('id')", "only functions and names are called by name"),
    ("().__class__", "only functions and names are called by name"),
    ("fastgc.run('x')", "there is no function fastgc.run"),
])  # fmt: skip
def test_refusals(text, said):
    assert said in refusal(text)


def test_steps_are_shared():
    steps = Steps(40)
    expression = Expression("sum(i for i in range(20))")
    assert expression.value(POINT, steps) == 190
    with pytest.raises(FastgcError, match="needs more than 40 steps"):
        expression.value(POINT, steps)


@pytest.mark.night
def test_every_closed_form_can_be_named():
    for paper in theory.paper_names():
        for name in theory.paper(paper).formulas:
            assert refusal(f"{paper}.{name}(nothing_like_it=1)").startswith(f"{paper}.{name}: ")


# ---- what takes too long is stopped, in the midst of a closed form too


#: One step of arithmetic a term, and milliseconds each.
LONG = "sum(agc.not_accessed_variance(3000, 1500, 1500, .3, .5, .1) for i in range(100000))"
CLAIM = {
    "id": "mine.long",
    "statement": "an expression takes long",
    "theory": LONG,
    "quantity": "error",
    "experiment": {"code": {"family": "uncoded", "n": 1}, "stragglers": {"model": "iid", "p": 0.5}},
}


def evaluated(text: str, seconds: float, **asked) -> float:
    """Processor seconds until an expression is refused."""
    begun = time.thread_time()
    deadline = TimeBudget(seconds, **asked)
    with pytest.raises(FastgcError, match=r"takes too long: .* 0\.3 s of processor time"):
        Expression(text).value(steps=Steps(deadline=deadline))
    assert deadline.is_over
    return time.thread_time() - begun


@pytest.mark.night
def test_one_closed_form_ends_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(n):
        while True:
            with contextlib.suppress(Exception):  # what stops it is no error that it could keep
                n += 1

    monkeypatch.setattr(by_name, "formula", lambda name: by_name.Formula(endless))
    assert 0.3 <= evaluated("agc.endless(1)", 0.3) < 2


@pytest.mark.night
def test_expressions_share_the_time_and_waiting_takes_none() -> None:
    steps = Steps(deadline=TimeBudget(0.3))
    assert Expression("2 + 2").value(steps=steps) == 4
    end = time.thread_time() + 0.4
    while end > time.thread_time():  # between expressions no time is taken
        pass
    assert Expression("2 + 2").value(steps=steps) == 4
    assert not steps.deadline.is_over
    with pytest.raises(FastgcError):
        Expression(LONG).value(steps=steps)
    with pytest.raises(FastgcError, match="takes too long"):
        Expression("2 + 2").value(steps=steps)


@pytest.mark.night
def test_a_file_names_the_expression_and_reads_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadlines.TimeBudget.__init__, "__defaults__", (0.3, lambda: None))
    claims = [CLAIM, CLAIM | {"id": "mine.other"}]
    said = checks.refusal(read.read, {"claim": claims})
    assert "claim.mine.long.theory: takes too long" in said


def test_a_signal_is_heard_while_claims_are_read() -> None:
    with pytest.raises(StoppedError, match="stopped early by SIGTERM"):
        read.read({"claim": [CLAIM]}, lambda: "SIGTERM")


@pytest.mark.night
def test_the_command_hears_sigterm_while_claims_are_read(fastgc_process, tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(toml.dumps({"claim": [CLAIM]}))
    process = fastgc_process("validate", "long.toml")
    if not Path("/proc/self/status").exists():
        pytest.skip("whether a signal is heard is asked of /proc")
    until(lambda: hears(process.pid, signal.SIGVTALRM), "no expression is evaluated")
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=HUNG)
    assert process.returncode == 75, said
    assert "stopped early by SIGTERM: nothing was measured yet" in said


def test_whole_arguments_are_bounded_as_floats_too() -> None:
    for number in ("10**5 + 1", "1e6"):
        with pytest.raises(FastgcError, match="has a whole argument above 100000"):
            Expression(f"agc.frc_mean_error({number}, 2, survivors=5)").value()
    assert Expression("agc.frc_mean_error(10**5, 2, survivors=50000)").value() > 0
