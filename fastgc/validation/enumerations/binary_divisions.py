"""The whole numbers ℓ, r, t, q, λ, r̃ of paper binary, counted out, and what is said of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fastgc.errors import FastgcError


def divided(dividend: int, divisor: int) -> tuple[int, int]:
    """Take away the divisor while that can be done: how often, and what is left."""
    times = 0
    while dividend >= divisor:
        dividend -= divisor
        times += 1
    return times, dividend


def identity_exceptions(identity: str, most: int) -> int:
    """Count the pairs s < n ≤ most for which something said of the divisions does not hold."""
    if identity not in _IDENTITIES:
        raise FastgcError(f"identity: got {identity!r}, allowed are {', '.join(_IDENTITIES)}")
    holds = _IDENTITIES[identity]
    return sum(not holds(n, s) for n in range(1, most + 1) for s in range(n))


def lemma4_exceptions(least: int, most: int, exactly: bool = True) -> int:
    """Count the pairs (s, n) that contradict Lemma 4, least ≤ s ≤ most and s² ≤ n ≤ s² + 6s.

    With ``exactly`` t must be 1 at the three places, else it may be anything there.
    """
    exceptions = 0
    for s, a, _, r, blocks in _regime(least, most):
        t = divided(r, blocks)[0]
        named = a in (s - 2, s - 1, 2 * s)
        exceptions += t != int(named) if exactly or not named else False
    return exceptions


def workers_with_excess(s: int) -> int:
    """Count the n from s² to s² + 6s with t = 1."""
    return sum(divided(r, blocks)[0] == 1 for _, _, _, r, blocks in _regime(s, s))


def remainder_differences(least: int, most: int, truncated: bool = False) -> int:
    """Count the n = s² + 2s + γ, 1 ≤ γ ≤ 4(s+1), whose r, q, ℓ or t is not what the proof gives.

    With ``truncated`` the remainder of a negative number is negative, as in some languages.
    """
    wrong = 0
    for s in range(least, most + 1):
        for gamma in range(1, 4 * (s + 1) + 1):
            n = s * s + 2 * s + gamma
            inner = divided(gamma, s + 1)[1] - 1
            said = inner if inner >= 0 or truncated else inner + s + 1
            blocks, r = divided(n, s + 1)
            t, q = divided(r, blocks)
            wrong += (r, q, blocks * (s + 1), t) != (said, said, s * s + 2 * s + gamma - said, 0)
    return wrong


def _regime(least: int, most: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Go through s, a, n = s² + a > s, r and ℓ for least ≤ s ≤ most and a ≤ 6s."""
    for s in range(least, most + 1):
        for a in range(6 * s + 1):
            n = s * s + a
            if n > s:
                blocks, r = divided(n, s + 1)
                yield s, a, n, r, blocks


def _blocks(n: int, s: int) -> bool:
    """With n = (ℓ+1) s + (ℓ+r−s) blocks of s+1 and of s partitions use up all."""
    blocks, r = divided(n, s + 1)
    return (blocks + r - s) * (s + 1) + (s + 1 - r) * s == n


def _excess(n: int, s: int) -> bool:
    """With n = ℓ (s+t+1) + q blocks of s+t+2 and of s+t+1 partitions use up all."""
    blocks, r = divided(n, s + 1)
    t, q = divided(r, blocks)
    return q * (s + t + 2) + (blocks - q) * (s + t + 1) == n


def _equal(n: int, s: int) -> bool:
    """Where ℓ = s−r, λ = s and nothing is left over."""
    blocks, r = divided(n, s + 1)
    return blocks != s - r or divided(n, blocks + 1) == (s, 0)


def _shorter(n: int, s: int) -> bool:
    """Where ℓ > r, t = 0 and q = r."""
    blocks, r = divided(n, s + 1)
    return blocks <= r or divided(r, blocks) == (0, r)


def _two_cases(n: int, s: int) -> bool:
    """Where q is not 0, it is less than r."""
    blocks, r = divided(n, s + 1)
    q = divided(r, blocks)[1]
    return q == 0 or q < r


def _larger_load(n: int, s: int, condition: bool) -> bool:
    """Some of ℓ+r−s blocks hold s+1 if and only if the condition is met."""
    blocks, r = divided(n, s + 1)
    return (blocks + r - s >= 1) == condition


def _by_the_rule(n: int, s: int) -> bool:
    blocks, r = divided(n, s + 1)
    return _larger_load(n, s, blocks > s - r)


def _by_the_example(n: int, s: int) -> bool:
    blocks, r = divided(n, s + 1)
    return _larger_load(n, s, blocks > r - s)


_IDENTITIES: dict[str, Callable[[int, int], bool]] = {
    "n = (l+1)s + (l+r-s)": _blocks,
    "n = l(s+t+1) + q": _excess,
    "l = s-r": _equal,
    "l > r": _shorter,
    "0 < q < r": _two_cases,
    "l > s-r": _by_the_rule,
    "l > r-s": _by_the_example,
}
