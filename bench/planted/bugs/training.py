"""Bugs in training."""

from __future__ import annotations

from bench.planted.bug import Bug

_TRAIN = "kernels/fastgc_kernels/train"

BUGS = (
    Bug(
        "one-step-ahead",
        f"{_TRAIN}/optimizing.py",
        "settings[DECAY] * np.float64(l))",
        "settings[DECAY] * np.float64(l + 1))",
        "a decaying step is one iteration ahead",
        ("literature.training.descent",),
    ),
    Bug(
        "shifted-steps",
        f"{_TRAIN}/selection.py",
        "steps[t, (l - d) % window]",
        "steps[t, (l - d - 1) % window]",
        "selection: past steps are shifted by one, the oldest first",
        ("gcada.algorithm1",),
    ),
    Bug(
        "refreshed-after",
        f"{_TRAIN}/selection.py",
        "limit = window + 1 if after else window",
        "limit = window + 1",
        'refresh "at" age D acts as "after"',
        ("gcada.refresh",),
    ),
    Bug(
        "excess-gradient",
        f"{_TRAIN}/descent.py",
        "y[t] += excess[t] * own[t]",
        "y[t] += 1.01 * excess[t] * own[t]",
        "what decoding adds to the gradient is 1 % too large",
        ("literature.training.coded", "literature.training.descent"),
    ),
    Bug(
        "target-missed",
        "fastgc/experiments/training/measures.py",
        "below = losses <= target",
        "below = losses < target",
        "a loss equal to the target does not reach it",
        ("literature.training.target",),
    ),
    Bug(
        "divided-by-workers",
        "fastgc/training/selected.py",
        "used = selection.batch * selection.parts",
        "used = selection.batch * selection.workers",
        "selection with mean gradients of batches in groups: divided by workers, not groups",
        ("gcada.mini-batch",),
        tests=("tests/training/test_selection.py::test_runs_are_the_twin_step_by_step",),
    ),
    Bug(
        "share-of-partitions",
        "fastgc/experiments/training/durations.py",
        "table.work * load / code.k",
        "table.work * load / code.n",
        "training: a worker's share of the data is divided by n instead of k",
        tests=(
            "tests/experiments/test_training_experiments.py::test_a_worker_takes_time_for_what_it_holds",
        ),
        counts=False,
    ),
    Bug(
        "sample-deviation",
        "fastgc/training/data/preparing.py",
        "spread = np.sqrt((centred * centred).mean(axis=0))",
        "spread = np.sqrt((centred * centred).sum(axis=0) / (len(X) - 1))",
        "features are standardized with N − 1 instead of N",
        tests=("tests/training/test_scaled_features.py::test_features_have_mean_0_and_variance_1",),
        counts=False,
    ),
)
