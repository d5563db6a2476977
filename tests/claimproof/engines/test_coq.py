"""Nothing may be assumed in a proof, and what was proved may not change in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimproof.core.project import Project
from claimproof.engines import coq

needs_coq = pytest.mark.skipif(not coq.installed(), reason=coq.INSTALL)
HONEST = "Theorem two : 1 + 1 = 2.\nProof. reflexivity. Qed.\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "derivations").mkdir()
    (tmp_path / "proofs" / "theorems").mkdir(parents=True)
    return Project(tmp_path)


def put(project: Project, text: str, name: str = "theorems/A.v") -> None:
    path = project.root / "proofs" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def proved(project: Project) -> coq.Record:
    return coq.prove(project, lambda done: None)


@pytest.mark.parametrize("text", [
    "Lemma a : 1 = 2.\nProof. Admitted.",
    "Lemma a : 1 = 2.\nProof. admit. Defined.",
    "Axiom a : 1 = 2.",
    "#[local] Axiom a : 1 = 2.",
    "Module M.\nParameter a : 1 = 2.\nEnd M.",
    "Module Type T.\nParameter a : nat.\nEnd T.\nDeclare Module M : T.",
    "Conjecture a : 1 = 2.",
    "Variable a : 1 = 2.",
    "Hypothesis a : 1 = 2.",
    "Context (a : 1 = 2).",
    "Section S.\nEnd S.\nVariable a : nat.",
    "Section S.\nLemma a : 1 = 2.\nAbort.\nEnd S.",
    "Unset Guard Checking.",
    "Next Obligation. Admit Obligations.",
    '(* "*)" *) Axiom a : 1 = 2.',
    "(* (* *) *) Axiom a : 1 = 2.",
])
def test_what_is_assumed_is_found(text: str) -> None:
    assert list(coq.assumed(text))


@pytest.mark.parametrize("text", [
    HONEST,
    "(* Admitted. (* Axiom *) admit *) " + HONEST,
    'Definition s := "Admitted. Axiom". ' + HONEST,
    "Section S.\nVariable n : nat.\nHypothesis H : n = 0.\nTheorem t : n = 0.\nProof. exact H. Qed.\nEnd S.",
    "Lemma admitted_once : True.\nProof. exact I. Qed.",
    '(* "*) Axiom a : 1 = 2. (*" *) ' + HONEST,
])
def test_words_in_comments_strings_and_sections_assume_nothing(text: str) -> None:
    assert not list(coq.assumed(text))


@pytest.mark.parametrize("text", ["(* never closed", 'Definition s := "never closed.'])
def test_an_unfinished_comment_or_string_is_refused(text: str) -> None:
    with pytest.raises(coq.CoqError, match="unfinished"):
        list(coq.assumed(text))


def test_claims_belong_to_the_theorem_below_them() -> None:
    text = "(* claim: A B *)\nTheorem a : True. Proof. exact I. Qed.\nTheorem b : True. Proof. exact I. Qed."
    assert coq.named(text) == [("Theorem", "a", ("A", "B")), ("Theorem", "b", ())]


def test_axioms_are_read_whatever_form_coq_gives_them() -> None:
    printed = "Axioms:\nA.short : nat\nB.long\n  : forall n,\n    n = 0\nf is assumed to be guarded."
    assert coq.axioms_of(printed) == ("A.short", "B.long", "f is assumed to be guarded.")
    assert coq.axioms_of("Closed under the global context") == ()


@needs_coq
def test_a_theorem_is_recorded_as_coq_prints_it(project: Project) -> None:
    put(project, "(* claim: X *)\n" + HONEST)
    record = proved(project)
    (theorem,) = record.theorems
    assert (theorem.name, theorem.claims, theorem.axioms) == ("Proofs.theorems.A.two", ("X",), ())
    assert theorem.statement == "(1 + 1)%nat = 2%nat"
    coq.write(project, record)
    assert coq.Record.read(project) == record
    assert not record.stale(project)
    put(project, HONEST + "\n")
    assert record.stale(project) == ["proofs/theorems/A.v"]


@needs_coq
def test_a_section_hypothesis_becomes_part_of_the_statement(project: Project) -> None:
    put(project, "Section S.\nVariable n : nat.\nHypothesis H : n = 3.\nTheorem t : n = 3.\nProof. exact H. Qed.\nEnd S.")
    (theorem,) = proved(project).theorems
    assert "forall n : nat, n = 3%nat -> n = 3%nat" in theorem.statement


@needs_coq
@pytest.mark.parametrize("text", [
    "Theorem two : 1 + 1 = 3.\nProof. reflexivity. Qed.",
    "From Coq Require Import Reals Lra. Open Scope R_scope.\nTheorem t : forall x : R, 0 < x -> 0 < - x.\nProof. intros. lra. Qed.",
])
def test_a_false_statement_does_not_compile(project: Project, text: str) -> None:
    put(project, text)
    with pytest.raises(coq.CoqError, match="does not compile"):
        proved(project)


@needs_coq
def test_a_changed_statement_is_a_difference_and_is_compiled_anew(project: Project) -> None:
    put(project, "Definition two := 2.", "library/L.v")
    put(project, "From Proofs.library Require Import L.\nTheorem t : two = two.\nProof. reflexivity. Qed.")
    before = proved(project)
    put(project, "Definition two := 3.", "library/L.v")
    after = proved(project)
    assert before.theorems[0].statement == after.theorems[0].statement
    assert any("sha256" in line for line in before.differences(after))
    seen: list[coq.Compiled] = []
    coq.prove(project, seen.append)
    assert [done.cached for done in seen] == [True, True]


@needs_coq
def test_names_that_look_familiar_are_listed_with_their_definitions(project: Project) -> None:
    put(project, 'Definition le (n m : nat) := True.\nNotation "n <= m" := (le n m).\n'
                 "Theorem t : 5 <= 3.\nProof. exact I. Qed.")
    (theorem,) = proved(project).theorems
    assert "True" in theorem.definitions["Proofs.theorems.A.le"]


@needs_coq
def test_an_axiom_of_another_library_is_not_on_the_list(project: Project) -> None:
    put(project, "From Coq Require Import ClassicalChoice.\nTheorem t : forall A B (R : A -> B -> Prop),\n"
                 "  (forall x, exists y, R x y) -> exists f, forall x, R x (f x).\nProof. exact choice. Qed.")
    with pytest.raises(coq.CoqError, match="relational_choice"):
        proved(project)


@needs_coq
def test_files_that_require_what_is_not_there_say_so(project: Project) -> None:
    put(project, "From Proofs.library Require Import Missing.\n" + HONEST)
    with pytest.raises(coq.CoqError, match=r"A\.v"):
        proved(project)


def test_the_committed_record_is_of_the_files_that_are_there() -> None:
    here = Project.find(Path(__file__).parent)
    record = coq.Record.read(here)
    assert record is not None
    assert record.theorems
    assert not record.stale(here)
