"""Adaptive Gauss–Kronrod quadrature of several functions, which share their nodes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from fastgc.latency.time import Values
from fastgc.statistics.products import dot

#: Nodes ≥ 0 of the 21-point rule and their weights (Piessens et al., QUADPACK, 1983).
_NODES = (
    0.995657163025808080735527280689003,
    0.973906528517171720077964012084452,
    0.930157491355708226001207180059508,
    0.865063366688984510732096688423493,
    0.780817726586416897063717578345042,
    0.679409568299024406234327365114874,
    0.562757134668604683339000099272694,
    0.433395394129247190799265943165784,
    0.294392862701460198131126603103866,
    0.148874338981631210884826001129720,
    0.0,
)
_KRONROD = (
    0.011694638867371874278064396062192,
    0.032558162307964727478818972459390,
    0.054755896574351996031381300244580,
    0.075039674810919952767043140916190,
    0.093125454583697605535465085083366,
    0.109387158802297641899210590325805,
    0.123491976262065851077958109831074,
    0.134709217311473325928054001771707,
    0.142775938577060080797094273138717,
    0.147739104901338491374841515972068,
    0.149445554002916905664936468389821,
)
#: Weights of the embedded 10-point rule, at every second node.
_GAUSS = (
    0.066671344308688137593568809893332,
    0.149451349150580593145776339657697,
    0.219086362515982043995534934228163,
    0.269266719309996355091226921569469,
    0.295524224714752870173892994651338,
)
_X = np.array([*_NODES, *(-node for node in _NODES[-2::-1])])
_K = np.array([*_KRONROD, *_KRONROD[-2::-1]])
_G = np.zeros(21)
_G[1:10:2] = _GAUSS
_G[11:20:2] = _GAUSS[::-1]
_ROUNDS = 60
_MOST_PANELS = 200_000


def integrate(
    functions: Callable[[Values], Values], edges: ArrayLike, relative: float = 1e-11
) -> Values:
    """Integrate functions over the panels between ``edges``, halving those that are not precise.

    Parameters
    ----------
    functions : callable
        Maps points (p,) to the values (f, p) of f functions.
    edges : array of float
        Rising; functions may jump or bend at them.
    relative : float
        Error aimed at, as a share of each integral.

    Returns
    -------
    float array (f,)

    Examples
    --------
    >>> integrate(lambda x: np.stack([x**2, np.sqrt(x)]), [0.0, 1.0]).round(12).tolist()
    [0.333333333333, 0.666666666667]
    """
    points = np.asarray(edges, float)
    low, high = points[:-1], points[1:]
    low, high = low[low < high], high[low < high]
    value, error = _panels(functions, low, high)
    panels = low.size
    for _ in range(_ROUNDS):
        total = value.sum(1, keepdims=True)
        allowed = relative * np.abs(total)
        if np.all(error.sum(1, keepdims=True) <= allowed) or panels > _MOST_PANELS:
            break
        middle = 0.5 * (low + high)
        bad = np.any(error > 0.5 * allowed / low.size, axis=0) & (low < middle) & (middle < high)
        if not bad.any():
            break
        left, right = low[bad], high[bad]
        fresh_low = np.concatenate([left, middle[bad]])
        fresh_high = np.concatenate([middle[bad], right])
        fresh_value, fresh_error = _panels(functions, fresh_low, fresh_high)
        panels += fresh_low.size
        low = np.concatenate([low[~bad], fresh_low])
        high = np.concatenate([high[~bad], fresh_high])
        value = np.concatenate([value[:, ~bad], fresh_value], 1)
        error = np.concatenate([error[:, ~bad], fresh_error], 1)
    return np.asarray(value.sum(1))


def _panels(
    functions: Callable[[Values], Values], low: Values, high: Values
) -> tuple[Values, Values]:
    """Return the integrals (f, panels) and QUADPACK's estimates of their errors."""
    half = 0.5 * (high - low)
    points = 0.5 * (low + high)[:, None] + half[:, None] * _X
    values = functions(points.ravel()).reshape(-1, low.size, _X.size)
    kronrod = dot(values, _K)
    spread = dot(np.abs(values - 0.5 * kronrod[..., None]), _K)
    difference = np.abs(kronrod - dot(values, _G))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = 200.0 * difference / spread
        small = share * np.sqrt(share)
    error = np.where(spread > 0, spread * np.minimum(1.0, small), difference)
    return kronrod * half, error * half
