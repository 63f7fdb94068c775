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
from fastgc.registry.plugin_groups import REGISTRY
from fastgc.stragglers import Stragglers
from fastgc.study.study import Study
from suite.checks import refusal

STRAGGLERS = {"model": "iid", "p": 0.1}


def test_a_users_code_and_stragglers_in_a_study() -> None:
    @register("code")
    class Star(Family):
        family: Literal["star"] = "star"
        leaves: int

        def build(self) -> Code:
            return code_of(np.vstack([np.ones(self.leaves), np.eye(self.leaves)]), "star")

    @register("stragglers")
    class Never(Stragglers):
        model: Literal["never"] = "never"

        def survivors(self, uniforms: Any) -> Any:
            return uniforms > 0

    star = {"family": "star", "leaves": 3}
    data: dict[str, Any] = {"code": star, "stragglers": {"model": "never"}}
    (point,) = Study.parse(data).points()
    table: Any = point.table
    assert isinstance(table.code, Star) and isinstance(table.stragglers, Never)
    with pytest.raises(
        FastgcError, match=r"^study: stragglers.p: must be one .* \(got 2 for n=3\)"
    ):
        Study.parse({**data, "stragglers": {"model": "iid", "p": [0.1, 0.2]}})
    with pytest.raises(FastgcError, match="unknown family 'stra'; did you mean 'star'"):
        Study.parse({**data, "code": {"family": "stra"}})


def test_a_users_build_may_refuse() -> None:
    @register("code")
    class Fussy(Family):
        family: Literal["fussy"] = "fussy"

        def build(self) -> Code:
            raise FastgcError("fussy: not today")

    with pytest.raises(FastgcError, match=r"^study: code: .*Fussy: build: fussy: not today$"):
        Study.parse({"code": {"family": "fussy"}, "stragglers": STRAGGLERS})


def test_an_error_carries_its_key() -> None:
    said = FastgcError("must be even (got 3)", "teeth")
    parts = "teeth", "must be even (got 3)", "teeth: must be even (got 3)"
    assert (said.key, said.sentence, str(said)) == parts
    again = pickle.loads(pickle.dumps(said))
    assert (again.key, again.sentence, str(again)) == parts
    assert FastgcError("teeth: no key, a sentence").key is None


def test_the_place_of_an_error_is_its_key_and_not_what_its_sentence_begins_with() -> None:
    @register("code")
    class Gear(Family):
        family: Literal["gear"] = "gear"
        teeth: int
        keyed: bool = False

        @pydantic.model_validator(mode="after")
        def _even(self) -> "Gear":
            if self.teeth % 2 and self.keyed:
                raise FastgcError("must be even", "teeth")
            if self.teeth % 2:
                raise FastgcError("unknown key: teeth: must be even")
            return self

        def build(self) -> Code:
            return code_of(np.eye(self.teeth))

    def said(**code: Any) -> str:
        with pytest.raises(FastgcError) as caught:
            Study.parse({"code": {"family": "gear"} | code, "stragglers": STRAGGLERS})
        return str(caught.value)

    assert said(teeth=3, keyed=True) == "study: code.teeth: must be even"
    assert said(teeth=3) == "study: code: unknown key: teeth: must be even"
    sweep = {"code.family": ["gear"], "code.teeth": [3]}
    with pytest.raises(FastgcError) as caught:
        Study.parse({"sweep": sweep, "stragglers": STRAGGLERS})
    assert str(caught.value) == "study: code: unknown key: teeth: must be even"


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

    @register("code")
    class Watched(SizedFamily):
        family: Literal["watched"] = "watched"
        n: int = 4

        def build(self) -> Code:
            built.append(self.n)
            return code_of(np.eye(self.n))

    class All(Stragglers):
        def survivors(self, uniforms: Any) -> Any:
            return np.ones(uniforms.shape, bool)

    class Careful(All):
        def complaints_with(self, code: Any, shuffle: str) -> list[tuple[str, str]]:
            return [("model", f"looked at {code.n} workers")]

    @register("stragglers")
    class Blind(All):
        model: Literal["blind"] = "blind"

    @register("stragglers")
    class Curious(Careful):
        looks_at_code = True
        model: Literal["curious"] = "curious"

    Study.parse({"code": {"family": "watched"}, "stragglers": {"model": "blind"}})
    assert built == []
    with pytest.raises(FastgcError, match=r"stragglers\.model: looked at 4 workers"):
        Study.parse({"code": {"family": "watched"}, "stragglers": {"model": "curious"}})
    assert built == [4, 4]  # twice, to be compared
    with pytest.raises(FastgcError, match="looks_at_code"):

        @register("stragglers")
        class Forgetful(Careful):
            model: Literal["forgetful"] = "forgetful"


def test_refusals() -> None:
    with pytest.raises(FastgcError, match="no plug-in group 'codes'; the groups are code, strag"):
        members("codes")

    with pytest.raises(FastgcError, match=r"the family 'frc' is taken by fastgc\.codes\.binary\."):

        @register("code")
        class Frc(FractionalRepetition):
            family: Literal["frc"] = "frc"

    with pytest.raises(FastgcError, match="needs a tag, family: Literal"):

        @register("code")
        class Untagged(FractionalRepetition):
            family: str = "x"

    with pytest.raises(FastgcError, match=r"Loose: must be a subclass of fastgc\.codes\.Family$"):

        @register("code")
        class Loose(pydantic.BaseModel):
            family: Literal["loose"] = "loose"

    with pytest.raises(
        FastgcError, match=r"Repetition: must be a subclass of fastgc\.stragglers\."
    ):
        register("stragglers")(FractionalRepetition)


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
        REGISTRY.forget_installed()

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
    study = Study.parse({"code": {"family": "extra", "n": 4}, "stragglers": STRAGGLERS})
    table: Any = study.points()[0].table
    assert table.code.build().n == 4


def test_a_broken_package_is_named(install: Any) -> None:
    install("import nowhere\n")
    for _ in range(2):
        REGISTRY.forget_installed()
        assert refusal(members, "code") == (
            "entry point 'extra' in group fastgc.code of package extra-codes cannot be loaded "
            "(ModuleNotFoundError: No module named 'nowhere'); repair or uninstall it"
        )
