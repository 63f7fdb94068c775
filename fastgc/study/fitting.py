"""What does not fit together in a table ``[design]``: codes over several rounds."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fastgc.experiments.sequence.experiment import MOST_DRAWN

if TYPE_CHECKING:
    from fastgc.study.design import DesignTable


def of_sequence(table: "DesignTable") -> Iterator[tuple[str, str]]:
    """Say what does not fit codes over several rounds."""
    if table.sequence is None:
        return
    if table.sequence.patience.then == "never":
        sentence = 'patience.then: must be "all" or "enough" here; else jobs are lost'
        yield "sequence", sentence
    if table.sequence.jobs > (most := MOST_DRAWN // table.workers - 2 * table.sequence.window):
        sentence = f"jobs: must be at most {max(0, most)} with {table.workers} workers"
        yield "sequence", f"{sentence} (got {table.sequence.jobs})"
    unfit = {
        'goal "mean"': table.goal != "mean",
        "port.receive = 0": table.port.receive > 0,
        "no send": table.send is not None,
        'between_rounds = "cancel"': table.between_rounds == "finish",
    }
    for needed in (name for name, wrong in unfit.items() if wrong):
        yield "sequence", f"needs {needed}; drop it, or compare experiments of kind sequence"
