"""What every paper's errata have: links that hold, a kind, a correction with its proof."""


def check(claim, claims):
    """Complain of a claim whose links, kind or correction are not what they should be."""
    others = {other.id: other for other in claims}
    for link in filter(None, (claim.corrects, claim.reads)):
        assert others[link].expected == "refuted" != claim.expected
    assert bool(claim.corrects) == claim.id.endswith(".corrected") == bool(claim.proof)
    if claim.expected == "refuted":
        assert claim.kind and any(other.corrects == claim.id for other in claims)
