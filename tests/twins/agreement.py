"""Both methods for the numbers of a study, against each other."""


def agreeing(result, most):
    """How many rows with a standard error are within ``most`` of them of their exact value.

    One that is not is an AssertionError.
    """
    exact, sampled = {}, {}
    for row in result.rows():
        name = row["quantity"], row["statistic"], row["index"]
        rows = {"exact": exact, "monte-carlo": sampled}.get(row["method"])
        if rows is not None:
            rows[name] = row
    compared = 0
    for name, row in sampled.items():
        if row["standard_error"]:
            z = (row["value"] - exact[name]["value"]) / row["standard_error"]
            assert abs(z) < most, name
            compared += 1
    return compared
