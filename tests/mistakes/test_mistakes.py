"""Five hundred mistakes: each gets a sentence with place and remedy, and nothing stays behind."""

import os
import re

import pytest

from mistakes.making import mistakes
from suite.checks import a_third_by_day

#: Into so many parts the mistakes are dealt.
PARTS = 30
#: What a sentence says that helps: what is allowed, what there is, what to do.
REMEDIES = re.compile(
    r"must|did you mean|there is |needs|needed|allowed|one of|see `fastgc|give |use |name |write |"
    r"leave |remove |add |they begin|it takes|choose|has no |cannot be read|"
    r"save it|lists |, then "
)


@pytest.mark.parametrize("part", a_third_by_day(range(PARTS)))
def test_five_hundred_mistakes(part, tmp_path, monkeypatch, command):
    for number, mistake in list(enumerate(mistakes(500)))[part::PARTS]:
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        for name, content in mistake.files.items():
            (folder / name).write_bytes(content)
        code, out, err = command(*mistake.arguments)
        said = f"{mistake.why}: fastgc {' '.join(mistake.arguments)}\n{out}{err}"
        assert code == 2, said
        assert "Traceback" not in err and out == "", said
        assert err.strip(), said
        for line in err.splitlines():
            assert line.startswith(("fastgc", "  ")), said
            assert len(line) < 1000, said
        assert mistake.place in err, said
        assert REMEDIES.search(err), said
        assert set(os.listdir(folder)) == set(mistake.files), said
