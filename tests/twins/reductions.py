"""What means with less variance are made of, written out trial by trial and pattern by pattern."""


def stratified(values, controls, strata, weights, mean, slope):
    """Σ w ȳ − b (Σ w c̄ − μ) and its variance, from all values."""
    groups = [[t for t, own in enumerate(strata) if own == g] for g in range(len(weights))]
    y = [sum(values[t] for t in own) / len(own) for own in groups]
    c = [sum(controls[t] for t in own) / len(own) for own in groups]
    left = [
        values[t] - y[g] - slope * (controls[t] - c[g]) for g, own in enumerate(groups) for t in own
    ]
    away = sum(w * each for w, each in zip(weights, c, strict=True)) - mean
    value = sum(w * each for w, each in zip(weights, y, strict=True)) - slope * away
    trials = len(values)
    spread = sum(r * r for r in left) / (trials - len(weights))
    return value, spread * (1 + (len(weights) - 1) / trials) / trials
