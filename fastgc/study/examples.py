"""A study of a few lines for every member of every group that fastgc comes with."""

IID = '{ model = "iid", p = 0.1 }'
FRC = '{ family = "frc", n = 8, d = 2 }'
EXPONENTIAL = '{ distribution = "exponential", mean = 1.0, shift = 1.0 }'
CODES = {
    "bernoulli": "n = 30, density = 0.2",
    "bibd": 'name = "pg(2,3)"',
    "binary": "n = 30, s = 3",
    "circulant": "n = 30, d = 3",
    "cyclic": "n = 30, d = 4",
    "cyclic-mds": "n = 30, d = 4",
    "frc": "n = 30, d = 3",
    "graph": 'name = "complete", vertices = 8',
    "heterogeneous-binary": "workers = [20, 10], times = [1.0, 3.0], s = 3",
    "matrix": "rows = [[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]",
    "sparse-regular": "n = 30, d = 3",
    "uncoded": "n = 30",
}
STRAGGLERS = {
    "adversarial": "stragglers = 2",
    "deadline": f"deadline = 2.0, latency = {EXPONENTIAL}",
    "iid": "p = 0.1",
    "markov": "p_straggle_after_ok = 0.1, p_straggle_after_straggle = 0.5",
    "trace": 'file = "times.csv", threshold = "1.5 median"',
    "two-class": "p_slow = 0.2, p_straggle_slow = 0.5, p_straggle_active = 0.1",
    "uniform": "stragglers = 3",
}
LAWS = {
    "bimodal": (
        'p_slow = 0.1, fast = { distribution = "exponential", mean = 1.0 }, '
        'slow = { distribution = "exponential", mean = 9.0 }'
    ),
    "deterministic": "value = 1.0",
    "empirical": 'file = "times.csv"',
    "exponential": "mean = 1.0, shift = 1.0",
    "gamma": "shape = 2.5, scale = 1.0",
    "lognormal": "mu = 0.0, sigma = 1.0",
    "pareto": "shape = 3.0, scale = 1.0",
    "uniform": "low = 1.0, high = 2.0",
    "weibull": "shape = 1.5, scale = 1.0",
}
SYSTEMS = {
    "balanced": "n = 12",
    "batches": "n = 12, d = 4",
    "block": 'n = 12, blocks = "1/mean"',
    "bounded-wait": "n = 12, k = 10",
    "clones": "n = 6, r = 2, after = 2.0",
    "coded-reduce": "n = 4, layers = 2, s = 1",
    "drop-late": "n = 12, deadline = 3.0",
    "gradient-code": "n = 12, s = 2",
    "hierarchical": 'n = 12, layers = 3, tasks = 24, rule = "equal-exponent"',
    "ignore-stragglers": "n = 12, stragglers = 2",
    "k-of-n": "n = 12, k = 9",
    "leave-out": "n = 12, k = 1",
    "local-sgd": "n = 12, period = 4",
    "partial": "n = 12, d = 3",
    "replication": "n = 12, d = 3",
    "ring-all-reduce": "n = 12",
    "spare": "n = 10, b = 2",
    "uncoded": "n = 12",
}
PROBLEMS = {
    "linear": "samples = 64, features = 4",
    "logistic": "samples = 64, features = 4",
    "softmax": "samples = 64, features = 4",
}
OPTIMIZERS = {"adam": "step = 0.01", "amsgrad": "step = 0.01", "gradient-descent": "step = 0.01"}
SELECTIONS = {
    "all": "workers = 4",
    "cada": "workers = 4, c = 0.5",
    "g-cada": "workers = 4, groups = 2, c = 0.5",
}
#: Recorded times: ten iterations of thirty workers.
TIMES = "\n".join(
    [
        ",".join(f"w{j}" for j in range(30)),
        *(",".join(f"{1 + (7 * i + 3 * j * j) % 11 / 4}" for j in range(30)) for i in range(10)),
    ]
)


def examples() -> dict[str, str]:
    """Return the text of a study of each member, by its group and name."""
    cyclic = f'code = {{ family = "cyclic", {CODES["cyclic"]} }}'
    coded = f"code = {FRC}\nstragglers = {IID}"
    learnt = 'optimizer = { method = "gradient-descent", step = 0.01 }\niterations = 20'
    linear = f'problem = {{ model = "linear", {PROBLEMS["linear"]} }}'
    first = 'system = { family = "k-of-n", n = 12, k = 9 }'
    timed = f"latency = {EXPONENTIAL}"
    groups = (
        ("code", "family", CODES, f"stragglers = {IID}"),
        ("stragglers", "model", STRAGGLERS, cyclic),
        ("system", "family", SYSTEMS, timed),
        ("latency", "distribution", LAWS, first),
        ("problem", "model", PROBLEMS, f"{coded}\n{learnt}"),
        ("optimizer", "method", OPTIMIZERS, f"{coded}\n{linear}\niterations = 20"),
        ("selection", "method", SELECTIONS, f"{learnt}\n{linear}\n{timed}"),
    )
    texts = {
        f"{group} {name}": f'{group} = {{ {key} = "{name}", {keys} }}\n{beside}'
        for group, key, members, beside in groups
        for name, keys in members.items()
    }
    tossed = 'code = { family = "bernoulli", n = 30, density = 0.2, seed = "trial" }'
    texts["code tossed"] = f"{tossed}\nstragglers = {IID}"
    for name in SYSTEMS:
        if name not in ("batches", "block", "clones", "hierarchical", "ring-all-reduce"):
            texts[f"{name} port"] = f"{texts[f'system {name}']}\nport = {{ receive = 0.1 }}"
    recorded = f'[files]\n"times.csv" = """\n{TIMES}"""\n'
    return {
        name: f"[[experiment]]\n{text}\n{recorded if 'times.csv' in text else ''}"
        for name, text in texts.items()
    }
