"""Papers: what registers with them, in which order, and what they refuse."""

import functools
import sys
from pathlib import Path

import pytest

from conftest import ran
from fastgc import theory
from fastgc.theory.papers.claim import Paper

HOME = Path(theory.__file__).parent
PAPERS = theory.paper_names()


def ours(*subjects):
    """A paper that has nothing to import."""
    paper = Paper("someone", "Someone, Something", subjects or ("test_papers",))
    paper._load = lambda: None
    return paper


def cases(number=1):
    """A statement in plain words.

    second.printed: Two
    words.
    Proof. So
    it is."""
    yield from range(number)


def test_a_claim_is_what_was_registered():
    paper = ours()
    paper.claim("first.printed", "Theorem 1", "<", "misprint")(cases)
    linked = {"corrects": "a.printed", "reads": "b.printed"}
    paper.claim("second.printed", "Theorem 2", of=(2,), **linked)(cases)
    first, second = paper.claims
    assert (first.id, first.paper) == ("someone.first.printed", "someone")
    assert (first.statement, second.statement) == ("A statement in plain words", "Two words")
    assert first.citation == "Someone, Something, Theorem 1"
    assert (first.relation, first.expected, first.kind) == ("<", "refuted", "misprint")
    assert (second.relation, second.expected) == ("=", "confirmed")
    assert (first.cases, second.cases) == ((0,), (0, 1))
    # links are to claims of the same paper
    assert (second.corrects, second.reads) == ("someone.a.printed", "someone.b.printed")
    assert (first.proof, second.proof) == ("", "So it is.")


def test_a_paper_refuses_claims_that_would_be_lost():
    paper = ours()
    paper.claim("one.printed", "Theorem 1")(cases)
    with pytest.raises(ValueError, match=r"two claims someone\.one\.printed"):
        paper.claim("one.printed", "Theorem 2")(cases)
    with pytest.raises(ValueError, match="no words mistaken"):
        paper.claim("two.printed", "Theorem 2", "mistaken")
    with pytest.raises(ValueError, match="says nothing"):
        paper.claim("mute.printed", "Theorem 1")(lambda: [])


def test_a_paper_refuses_formulas_that_would_be_lost():
    paper = ours()

    def theorem1():
        return 1.0

    assert paper.formula(paper.formula(theorem1)) is theorem1
    other = functools.wraps(theorem1)(lambda: 2.0)
    with pytest.raises(ValueError, match=r"two formulas someone\.theorem1"):
        paper.formula(other)


@pytest.mark.parametrize("name", PAPERS)
def test_claims_keep_their_order_whatever_is_imported_first(name):
    """The last subject is imported before all others, in a process in which no case can be made."""
    paper = theory.paper(name)
    program = (
        "from fastgc.theory.papers import claim\n"
        "claim.Case.__init__ = None\n"
        f"import fastgc.theory.{name}.{paper.subjects[-1]}\n"
        f"from fastgc.theory.{name} import paper\n"
        "print(*(claim.id for claim in paper.claims))"
    )
    said = ran(sys.executable, "-c", program, check=True).stdout.split()
    assert said == [claim.id for claim in paper.claims]


@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_offers_its_formulas_and_nothing_else(name):
    paper, face = theory.paper(name), getattr(theory, name)
    assert dir(face) == list(paper.formulas) == sorted(paper.formulas)
    for formula, function in paper.formulas.items():
        assert getattr(face, formula) is function
    with pytest.raises(AttributeError, match="no formula 'nothing'"):
        _ = face.nothing
    # and every file that registers something is a subject
    files = {file.stem: file.read_text() for file in (HOME / name).glob("*.py")}
    signs = "paper.share(", "@paper."
    registering = {own for own, text in files.items() if any(sign in text for sign in signs)}
    assert registering <= set(paper.subjects) <= set(files)
