"""The registry: fastgc's own members, a user's by decorator, a package's by entry point."""

import pickle
import sys
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pydantic
import pytest

from fastgc import FastgcError
from fastgc.codes import Code, Family, code_of
from fastgc.codes.binary import FractionalRepetition, Uncoded
from fastgc.codes.family import SizedFamily
from fastgc.registry import Member, members, register
from fastgc.registry.plugin_groups import GROUPS, Registry
from fastgc.stragglers import Stragglers
from fastgc.study.study import Study
from suite.checks import refusal
from suite.plug_ins import plug_in

STRAGGLERS = {"model": "iid", "p": 0.1}


def test_a_users_code_and_stragglers_in_a_study() -> None:
    build = lambda own: code_of(np.vstack([np.ones(own.leaves), np.eye(own.leaves)]))  # noqa: E731
    Star = plug_in(Family, "star", leaves=int, build=build)
    Never = plug_in(Stragglers, "never", survivors=lambda _, uniforms: uniforms > 0)
    star = {"family": "star", "leaves": 3}
    data: dict[str, Any] = {"code": star, "stragglers": {"model": "never"}}
    (point,) = Study.parse(data).points()
    table: Any = point.table
    assert isinstance(table.code, Star) and isinstance(table.stragglers, Never)
    said = refusal(Study.parse, data | {"stragglers": {"model": "iid", "p": [0.1, 0.2]}})
    assert said.startswith("study: stragglers.p: must be one ") and said.endswith("(got 2 for n=3)")
    said = refusal(Study.parse, data | {"code": {"family": "stra"}})
    assert "unknown family 'stra'; did you mean 'star'" in said


def test_a_users_build_may_refuse() -> None:
    def build(self: Any) -> Code:
        raise FastgcError("fussy: not today")

    plug_in(Family, "fussy", build=build)
    said = refusal(Study.parse, {"code": {"family": "fussy"}, "stragglers": STRAGGLERS})
    assert said == "study: code: suite.plug_ins.Fussy: build: fussy: not today"


def test_an_error_carries_its_key() -> None:
    said = FastgcError("must be even (got 3)", "teeth")
    parts = "teeth", "must be even (got 3)", "teeth: must be even (got 3)"
    assert (said.key, said.sentence, str(said)) == parts
    again = pickle.loads(pickle.dumps(said))
    assert (again.key, again.sentence, str(again)) == parts
    assert FastgcError("teeth: no key, a sentence").key is None


def test_the_place_of_an_error_is_its_key_and_not_what_its_sentence_begins_with() -> None:
    def even(self: Any) -> Any:
        if self.teeth % 2 and self.teeth > 10:
            raise FastgcError("must be even", "teeth")
        if self.teeth % 2:
            raise FastgcError("unknown key: teeth: must be even")
        return self

    even = pydantic.model_validator(mode="after")(even)
    plug_in(Family, "gear", teeth=int, even=even, build=lambda own: code_of(np.eye(own.teeth)))
    gear = {"code": {"family": "gear", "teeth": 11}, "stragglers": STRAGGLERS}
    assert refusal(Study.parse, gear) == "study: code.teeth: must be even"
    swept = {"sweep": {"code.family": ["gear"], "code.teeth": [3]}}
    for table in ({"code": {"family": "gear", "teeth": 3}}, swept):
        said = refusal(Study.parse, table | {"stragglers": STRAGGLERS})
        assert said == "study: code: unknown key: teeth: must be even"


def test_the_same_class_defined_again_replaces_itself() -> None:
    def define() -> type[Member]:
        @register("code")
        class Mine(Uncoded):
            family: Literal["mine"] = "mine"

        return Mine

    define()
    last = define()
    assert members("code")["mine"] is last


def test_a_code_is_built_for_stragglers_that_look_at_it_and_for_no_others() -> None:
    built = []

    build = lambda own: built.append(own.n) or code_of(np.eye(own.n))  # noqa: E731
    plug_in(SizedFamily, "watched", build=build)
    asked = {"survivors": lambda _, uniforms: np.ones(uniforms.shape, bool)}
    plug_in(Stragglers, "blind", **asked)
    asked["complaints_with"] = lambda _, code, shuffle: [("model", f"looked at {code.n} workers")]
    assert "looks_at_code" in refusal(plug_in, Stragglers, "forgetful", **asked)
    plug_in(Stragglers, "curious", looks_at_code=True, **asked)
    watched = {"family": "watched", "n": 4}
    Study.parse({"code": watched, "stragglers": {"model": "blind"}})
    assert built == []
    said = refusal(Study.parse, {"code": watched, "stragglers": {"model": "curious"}})
    assert said == "study: stragglers.model: looked at 4 workers"
    assert built == [4, 4]  # twice, to be compared


def test_refusals() -> None:
    class Untagged(FractionalRepetition):
        family: str = "x"

    class Loose(pydantic.BaseModel):
        family: Literal["loose"] = "loose"

    assert "'codes'; the groups are code, strag" in refusal(members, "codes")
    said = "the family 'frc' is taken by fastgc.codes.binary."
    assert said in refusal(plug_in, FractionalRepetition, "frc")
    assert "needs a tag, family: Literal" in refusal(register("code"), Untagged)
    said = "Loose: must be a subclass of fastgc.codes.Family"
    assert refusal(register("code"), Loose).endswith(said)
    said = "Repetition: must be a subclass of fastgc.stragglers."
    assert said in refusal(register("stragglers"), FractionalRepetition)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Install a package with one entry point."""

    def made(module: str) -> None:
        (tmp_path / "extra_codes.py").write_text(module)
        info = tmp_path / "extra_codes-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: extra-codes\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[fastgc.code]\nextra = extra_codes:Extra\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, "extra_codes", raising=False)

    return made


@pytest.mark.parametrize("decorator", ["", "@register('code')\n"])
def test_an_installed_packages_code(install: Any, decorator: str) -> None:
    install(
        "from typing import Literal\n"
        "from fastgc.codes import Family, code_of\n"
        "from fastgc.registry import register\n"
        f"{decorator}"
        "class Extra(Family):\n"
        "    family: Literal['extra'] = 'extra'\n"
        "    n: int\n"
        "    def build(self):\n"
        "        return code_of([[1] * self.n], 'extra')\n"
    )
    Extra = Registry(GROUPS).members("code")["extra"]
    assert register("code")(Extra) is Extra
    study = Study.parse({"code": {"family": "extra", "n": 4}, "stragglers": STRAGGLERS})
    table: Any = study.points()[0].table
    assert table.code.build().n == 4


def test_a_broken_package_is_named(install: Any) -> None:
    install("import nowhere\n")
    registry = Registry(GROUPS)
    for _ in range(2):
        assert refusal(registry.members, "code") == (
            "entry point 'extra' in group fastgc.code of package extra-codes cannot be loaded "
            "(ModuleNotFoundError: No module named 'nowhere'); repair or uninstall it"
        )
