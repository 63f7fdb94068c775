from fastgc.results.verdict_data import Verdict as Verdict
from fastgc.results.verdict_data import Verdicts as Verdicts
from fastgc.validation.reports import errata as errata
