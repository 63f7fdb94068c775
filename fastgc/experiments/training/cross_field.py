"""Cross-field errors of a training experiment: parts that are sound but do not fit together."""

from collections.abc import Callable, Iterator

from fastgc.codes.code import Code
from fastgc.codes.per_trial import CodeOfTrials
from fastgc.errors import FastgcError
from fastgc.experiments.completion.scenario import Scenario
from fastgc.experiments.table import decoding_errors
from fastgc.experiments.training.gradients import Durations
from fastgc.experiments.training.training_table import TO_LOSS, TrainingTable
from fastgc.latency import listed
from fastgc.stragglers.deadline import Deadline
from fastgc.stragglers.trace import Trace
from fastgc.stragglers.uniform import Adversarial
from fastgc.systems.timing.rounds import Port
from fastgc.systems.uncoded import Uncoded
from fastgc.training.data import Data

#: Numbers that an iteration draws, times iterations: 64 runs of them take a gigabyte.
MOST_DRAWN = 1 << 21
#: With a selection these keys and measures have nothing to say.
OF_CODES = ("code", "stragglers", "system", "shuffle", "decoder", "rho")
MEASURES_OF_CODES = {"gradient_error", "distance"}

#: Key path and sentence.
Errors = Iterator[tuple[str, str]]


def key_errors(table: TrainingTable, code: Callable[[], Code | CodeOfTrials]) -> Errors:
    """Yield what the keys alone say; the code is made only where there is one."""
    wanted = [name for name in table.measure if name.startswith("time")]
    if wanted and not table.timed:
        yield "measure", f"{wanted[0]} needs latency, or stragglers of model deadline"
    if table.system is not None and table.latency is None and table.selection is None:
        yield "latency", "missing; a system needs the law of its workers' times"
    if table.system is None and table.port != Port():
        yield "port", "must be left out without a system"
    asked = [name for name in table.measure if name in (*TO_LOSS, "reached")]
    if asked and table.target_loss is None:
        yield "target_loss", f"missing; {asked[0]} needs it"
    if not set(TO_LOSS) & set(table.measure):
        for key in ("quantiles", "thresholds"):
            if getattr(table, key):
                yield key, f"must be left out without one of the measures {', '.join(TO_LOSS)}"
    if table.selection is None:
        yield from _code_errors(table, code)
        return
    for key in OF_CODES:
        if getattr(table, key) != type(table).model_fields[key].default:
            yield key, "must be left out with a selection, which has workers itself"
    if MEASURES_OF_CODES & set(table.measure):
        sentence = "gradient_error and distance are those of coded gradients"
        yield "measure", f"{sentence}; leave them out with a selection"
    if table.latency is None and table.selection.needs_times:
        sentence = "missing; which worker of a group is the fastest decides whose batch counts"
        yield "latency", sentence


def _code_errors(table: TrainingTable, make: Callable[[], Code | CodeOfTrials]) -> Errors:
    if table.code is None:
        sentence = 'missing; give a code, like { family = "uncoded", n = 8 }, or a selection'
        yield "code", sentence
        return
    if isinstance(table.stragglers, Adversarial):
        yield "stragglers.model", "adversarial stragglers are for decoding experiments"
        return
    code = make()
    if isinstance(code, CodeOfTrials):
        yield "code.seed", 'must be a number (got "trial"); training keeps its matrix'
        return
    if code.obstacle is not None:
        sentence = "training takes real matrices, and answers as long as the gradient"
        yield "code", f"{sentence}, and {code.obstacle}"
        return
    yield from decoding_errors(table, code)
    if isinstance(table.stragglers, Deadline) and table.latency and table.system is None:
        sentence = "must be left out with stragglers of model deadline: the deadline is the time of"
        yield "latency", f"{sentence} an iteration, and stragglers.latency the law of the workers"
    if table.system is not None:
        workers = table.system.workers()
        if workers != code.n and min(workers, code.n) > 1:
            sentence = f"has {workers} workers and the code {code.n}; give both as many, or one of"
            yield "system", f"{sentence} them 1"


def time_errors(table: TrainingTable, durations: Durations) -> list[tuple[str, str]]:
    """Return what does not fit of the times that workers take, and of how many are drawn."""
    found = list(_duration_errors(table, durations))
    n = 0 if found else durations.drawn
    if n * table.iterations <= MOST_DRAWN:
        return found
    sentence = f"must be at most {MOST_DRAWN // n} with {n} times drawn in each"
    return [("iterations", f"{sentence} (got {table.iterations})")]


def _duration_errors(table: TrainingTable, durations: Durations) -> Errors:
    code, scenario = durations.code, durations.scenario
    if table.latency is None or durations.deadline is not None:
        return
    if scenario is not None:
        yield from scenario.cross_field_errors() or _straggler_errors(table, durations)
        return
    # of a code's workers each load is tried below
    kept = code is None or table.scaling == "recorded"
    scaling = table.scaling if kept else "server-dependent"
    alike = Uncoded(n=durations.workers, load=1.0)
    errors = Scenario(alike, table.latency, table.work, scaling, table.port).cross_field_errors()
    if errors or code is None:
        for key, sentence in errors:
            yield key if key == "latency" else "scaling", sentence
        return
    if table.shuffle != "none" and len(set(code.loads.tolist())) > 1:
        sentence = "must be left out when columns are shuffled whose loads, and so times, differ"
        yield "latency", sentence
        return
    try:
        durations.prepare()
    except FastgcError as problem:
        yield "scaling", str(problem)
        return
    yield from _straggler_errors(table, durations)


def _straggler_errors(table: TrainingTable, durations: Durations) -> Errors:
    scenario = durations.scenario
    if scenario is not None and scenario.structure.leaves_out:
        family = scenario.system.settings()["family"]
        if table.stragglers is not None:
            sentence = f"must be left out with system {family}, which itself leaves out late"
            yield "stragglers", f"{sentence} workers and so decides whose gradients are in"
            return
        if scenario.system.GRADIENT == "lost" and not durations.decides:
            yield (
                "system",
                f"{family} leaves workers out, whose gradients are then missing; give the code "
                f'those workers, like {{ family = "uncoded", n = {scenario.n} }}',
            )
            return
    stragglers, laws = table.stragglers, table.latency or ()
    if not isinstance(stragglers, Trace):
        return
    recorded = [part for law in laws for part in listed.recorded(law)]
    if not any(part.trace.digest == stragglers.trace.digest for part in recorded):
        return
    if durations.recorded is None:
        sentence = f"reads {stragglers.file} as the stragglers do, so who is late and how long it"
        remedy = 'give both the same order, "replay" or "rows"'
        yield "latency", f"{sentence} takes must be of the same row; {remedy}"
    elif table.scaling == "additive":
        sentence = 'must not be "additive" where who is late is of the same row as its time'
        yield "scaling", sentence


def data_errors(table: TrainingTable, load: Callable[[], Data], code: Callable[[], Code]) -> Errors:
    """Yield what does not fit the data, where they are here; they are loaded only then."""
    if not table.problem.available:
        return
    parts = {"selection": table.selection, "problem": table.problem}
    try:
        data = load()
        if table.selection is not None:
            table.selection.check(data)
            return
    except FastgcError as problem:
        named = [
            f"{part}.{problem.key}"
            for part, member in parts.items()
            if member is not None and problem.key in type(member).model_fields
        ]
        yield (named[0], problem.sentence) if named else ("problem", str(problem))
        return
    k = code().k
    if data.samples < k:
        sentence = f"has {k} partitions, which need at least {k} samples (got {data.samples})"
        yield "code", sentence
    elif "distance" in table.measure and data.best is None:
        yield "measure", "distance needs θ*, which only linear problems have here"
