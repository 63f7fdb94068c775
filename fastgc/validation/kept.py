"""What a finished validation measured: the same call judges the statements again on it.

A measurement counts if the same sources of fastgc made it, with the same method and trials. What of
a statement may depend on other code or files, that of users, is measured again.
"""

import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import fastgc
from fastgc.engine.payloads import build_fingerprint
from fastgc.results.stored import StoredRun
from fastgc.results.verdicts import NONE, verdict_of
from fastgc.study.claims import papers
from fastgc.theory.papers.claim import Case, Claim
from fastgc.validation.decision_rules import Evidence


@functools.cache
def build() -> str:
    """Return what tells the sources apart that measure: those of fastgc and of its kernels."""
    home = Path(fastgc.__file__).parent
    found = hashlib.sha256(build_fingerprint().encode())
    for path in sorted(home.rglob("*.py")):
        found.update(path.relative_to(home).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def how(method: str, trials: int) -> dict[str, Any]:
    """Return, for the file, how everything in it was measured."""
    return {"build": build(), "method": method, "trials": trials}


def evidence(
    run: StoredRun | None, claims: Sequence[Claim], wanted: Mapping[str, Any]
) -> dict[int, Evidence]:
    """Return what a finished file holds of the cases of fastgc's own statements, by identity."""
    if run is None or run.provenance.get("points") != [dict(wanted)]:
        return {}
    known = {}
    for verdict in map(verdict_of, run.verdicts):
        for finding in verdict.findings:
            if finding.method != NONE:
                known[_key(finding.case)] = Evidence(
                    finding.estimate,
                    finding.method,
                    finding.kurtosis,
                    finding.sampled,
                    certificate=finding.certificate,
                    counterexample=finding.counterexample,
                )
    own = set(papers.register())
    cases = [case for claim in claims if claim in own for case in claim.cases]
    keys = {id(case): _key(case) for case in cases}
    return {case: known[key] for case, key in keys.items() if key in known}


def _key(case: Case) -> str:
    measured = [case.experiment, case.against, case.quantity, case.statistic, case.index, case.how]
    return json.dumps(measured, sort_keys=True)
