"""What the shell offers after Tab, as bash itself asks for it."""

import shlex
import sys

import pytest

from conftest import environment, program, ran
from fastgc.study.claims import paper_files

HEAVY = ("numpy", "numba", "scipy", "h5py", "pydantic")


@pytest.fixture(scope="module")
def offered(tmp_path_factory):
    """Let bash complete command lines, all in one go; returns what it is offered for each."""
    folder = tmp_path_factory.mktemp("completion")
    script = folder / "bin" / "fastgc"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\nfrom fastgc.cli.main import main\nmain()\n")
    script.chmod(0o755)

    def ask(*lines):
        commands = ['eval "$(_FASTGC_COMPLETE=bash_source fastgc)"']
        for line in lines:
            words = [*shlex.split(line), ""] if line.endswith(" ") else shlex.split(line)
            commands += [
                f"COMP_WORDS=({' '.join(map(shlex.quote, words))})",
                f"COMP_CWORD={len(words) - 1} COMPREPLY=()",
                "_fastgc_completion fastgc 2> /dev/null",  # compopt is for bash at a prompt
                'echo "${COMPREPLY[*]}"',
            ]
        env = environment()
        env["PATH"] = f"{script.parent}:{env['PATH']}"
        done = ran(program("bash"), "-c", "\n".join(commands), cwd=folder, env=env, check=True)
        return [line.split() for line in done.stdout.splitlines()]

    return ask


@pytest.mark.night
def test_commands_studies_claims_papers_and_families(offered):
    lines = {
        "fastgc valid": ["validate"],
        "fastgc run comp": ["comparison/eight-codes"],
        "fastgc run m": [],  # then bash itself offers files
        "fastgc validate agc.lemma1.p": ["agc.lemma1.printed"],
        "fastgc validate --paper bina": ["binary"],
        "fastgc errata ": sorted(paper_files.names()),
        "fastgc inspect cyc": ["cyclic", "cyclic-mds"],
        "fastgc run --method ": ["auto", "exact", "monte-carlo", "both", "rare"],
        "fastgc help st": ["statistics", "studies"],
    }
    assert dict(zip(lines, offered(*lines), strict=True)) == lines


@pytest.mark.night
@pytest.mark.parametrize(
    ("words", "without"),
    [("fastgc run ag", HEAVY), ("fastgc --", HEAVY), ("fastgc validate ag", ("numba", "h5py"))],
)
def test_what_it_takes_is_not_loaded(words, without):
    seen = (
        "import sys, atexit\n"
        f"atexit.register(lambda: print([n for n in {without} if n in sys.modules]))\n"
        "sys.argv[0] = 'fastgc'\n"
        "from fastgc.cli.main import main\nmain()"
    )
    count = str(len(words.split()) - 1)
    asked = {"_FASTGC_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": count}
    done = ran(sys.executable, "-c", seen, env=environment(**asked))
    assert done.returncode == 0 and "plain," in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"
