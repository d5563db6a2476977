"""The command line. Exit codes: 0 fine, 1 a check failed, 2 wrong use."""

from __future__ import annotations

import fnmatch
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from claimproof import report
from claimproof.core import changes
from claimproof.core import inventory as inventories
from claimproof.core import ledger as ledgers
from claimproof.core.entries import ClaimEntry
from claimproof.core.files import write_text
from claimproof.core.project import NotACheckout, Project
from claimproof.core.verdict import ContradictoryChecks
from claimproof.run import derivations as run
from claimproof.terminal import console, example, fail, problems, program

app = typer.Typer(
    name="claimproof", no_args_is_help=True, add_completion=False, rich_markup_mode="rich",
    help="Verify a paper claim by claim: run its derivations, compare with the ledger, generate what follows.",
)


def _project() -> Project:
    try:
        return Project.find()
    except NotACheckout as error:
        raise fail(str(error), 2) from None


# What an installation without the extra lacks: derivations import all of it, some only when they plot.
_VERIFY_EXTRA = ("sympy", "mpmath", "flint", "jsonschema", "jupytext", "nbclient", "ipykernel", "matplotlib")


def _require_extra() -> None:
    """Derivations run in processes of their own: say what is missing before the first of them fails."""
    for module in _VERIFY_EXTRA:
        if find_spec(module) is None:
            raise fail(f"this needs {module}, which is not installed: pip install 'crawlproof[verify]'", 2)


def _inventory(project: Project) -> inventories.Inventory:
    try:
        return inventories.load(project)
    except inventories.InventoryError as error:
        raise fail(f"claims.toml: {error}") from None


def _ledger(project: Project) -> ledgers.Ledger:
    try:
        return ledgers.Ledger.read(project.ledger)
    except ledgers.LedgerError as error:
        raise fail(str(error)) from None


def _selected(project: Project, only: str | None) -> list[Path]:
    """Derivations by glob on 'paper/name', or on the ids of claims that the ledger has from them; all without one."""
    scripts = project.scripts()
    if only is None:
        return scripts
    names = {script: f"{script.parent.name}/{script.stem}" for script in scripts}
    chosen = [s for s in scripts if fnmatch.fnmatch(names[s], only) or fnmatch.fnmatch(s.stem, only)]
    if not chosen and project.ledger.exists():
        places = {claim["notebook"] for claim in _ledger(project).claims if fnmatch.fnmatchcase(claim["id"], only)}
        chosen = [s for s in scripts if project.notebook_of(project.relative(s)) in places]
    if not chosen:
        known = ", ".join(names.values())
        raise fail(f"--only {only!r} matches no derivation and no claim of the ledger (known: {known})", 2)
    return chosen


def _run(project: Project, scripts: Sequence[Path], use_cache: bool) -> list[run.Outcome]:
    """Run derivations under a live display, or with one plain line each where there is no terminal."""
    if console().is_terminal:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                   TimeElapsedColumn())
        with Progress(*columns, console=console()) as progress:
            task = progress.add_task("derivations", total=len(scripts))

            def show(outcome: run.Outcome) -> None:
                progress.console.print(_outcome_line(outcome))
                progress.advance(task)

            return run.run_all(project, scripts, use_cache, show)
    done = 0

    def tell(outcome: run.Outcome) -> None:
        nonlocal done
        done += 1
        console().print(f"{f'[{done}/{len(scripts)}]':>8} {_outcome_line(outcome)}", markup=False, highlight=False)
        sys.stdout.flush()

    return run.run_all(project, scripts, use_cache, tell)


def _may_use_cache(no_cache: bool) -> bool:
    """Continuous integration believes nothing that was computed before."""
    return not no_cache and os.environ.get("CI", "").lower() not in ("1", "true")


def _outcome_line(outcome: run.Outcome) -> str:
    if outcome.result is None:
        return f"{outcome.derivation}  FAILED"
    how = "unchanged" if outcome.cached else f"{outcome.seconds:.1f} s"
    return f"{outcome.derivation}  {len(outcome.result.claims)} claims  {how}"


def _raise_on_failures(outcomes: Sequence[run.Outcome]) -> None:
    failed = [outcome for outcome in outcomes if outcome.error]
    for outcome in failed:
        problems().print(f"[red]{escape(outcome.derivation)}:[/] {escape(outcome.error or '')}", highlight=False)
    if failed:
        raise fail(f"{len(failed)} of {len(outcomes)} derivations failed")


def _write(path: Path, text: str) -> None:
    """Write a text whole or not at all."""
    try:
        write_text(path, text)
    except OSError as error:
        raise fail(f"can't write {path}: {error.strerror}", 2) from None


@app.command(epilog=example("claimproof verify", "claimproof verify --only 'clw/s3*'", "claimproof verify --only 'CLW-L3*'", "claimproof verify --json out.json"))
def verify(
    only: Annotated[str | None, typer.Option(help="Run only the derivations that match this glob: paper/name, or ids of claims.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Run everything, even what has not changed.")] = False,
    complete: Annotated[bool, typer.Option("--complete", help="Fail if any claim of any paper is unchecked.")] = False,
    accept: Annotated[bool, typer.Option("--accept", help="Run everything anew, show what changed, and write it to the ledger.")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the computed ledger to this file.")] = None,
    record: Annotated[Path | None, typer.Option(help="Write versions, seeds, platform and the ledger's hash to this file.")] = None,
) -> None:
    """Run the derivations, compute all verdicts, and compare them with the committed ledger."""
    _require_extra()
    started = time.perf_counter()
    project = _project()
    listed = _inventory(project)
    # What is accepted has just been computed: nothing that was kept from before is believed.
    outcomes = _run(project, _selected(project, only), not accept and _may_use_cache(no_cache))
    _raise_on_failures(outcomes)
    results = [outcome.result for outcome in outcomes if outcome.result]
    # A part of the derivations can't give the whole ledger: what the others found is taken from it.
    committed = None if only is None else _ledger_to_amend(project, accept)
    try:
        computed = ledgers.build(listed, results, project, committed)
    except (ContradictoryChecks, inventories.InventoryError) as error:
        raise fail(str(error)) from None
    console().print()
    if committed is None:
        _tell_all(listed, computed)
        insist = listed.papers if complete else [key for key, paper in listed.papers.items() if paper.complete]
        if missing := ledgers.incomplete(computed, insist):
            raise fail(f"{len(missing)} claims are unchecked: {', '.join(missing)}")
        amended, changed = computed, _changed(project, computed, accept)
    else:
        ran = {result.derivation for result in results}
        own = {c["id"] for ledger in (committed, computed) for c in ledger.claims if c["derivation"] in ran}
        amended = committed.with_part(computed, own, listed.claims)
        changed = ledgers.differences(committed, amended)
        for claim in amended.claims:
            if claim["id"] in own:
                console().print(f"{report.styled(claim['verdict'])} ({claim['basis']})  {escape(claim['id'])}", highlight=False)
    if json_file:
        _write(json_file, computed.to_text())
    for line in changed:
        (console() if accept else problems()).print(escape(line), highlight=False)
    if accept:
        _write(project.ledger, amended.to_text())
        console().print(f"\nledger written: {project.relative(project.ledger)}")
        after = {claim["id"]: claim for claim in computed.claims}
        if left := [c["id"] for c in amended.claims if after.get(c["id"], c) != c]:
            console().print(
                f"{len(left)} other claims rest on what changed ({', '.join(left)}): "
                f"run '{program()} verify --accept' without --only", highlight=False,
            )
    elif changed:
        raise fail(f"{len(changed)} claims differ from the ledger (accept them with '{program()} verify --accept')")
    if record:
        _write(record, json.dumps(_record(amended), indent=1, ensure_ascii=False) + "\n")
    checked = len(computed.claims if committed is None else own)
    console().print(f"\nAll {checked} claims are as recorded. {time.perf_counter() - started:.1f} s", highlight=False)


def _tell_all(listed: inventories.Inventory, computed: ledgers.Ledger) -> None:
    console().print(report.summary_table(computed, {key: key.upper() for key in listed.papers}))
    console().print(report.evidence_line(computed), highlight=False)
    if lines := report.headlines(computed):
        console().print("\n[bold]Headline findings[/]")
        for line in lines:
            console().print(line, highlight=False)


def _ledger_to_amend(project: Project, accept: bool) -> ledgers.Ledger:
    """The committed ledger; an empty one where the first claims are about to be accepted."""
    return ledgers.Ledger(()) if accept and not project.ledger.exists() else _ledger(project)


def _changed(project: Project, computed: ledgers.Ledger, accept: bool) -> list[str]:
    """What differs from the committed ledger; of one of another version, what can be compared."""
    try:
        return ledgers.differences(ledgers.Ledger.read(project.ledger), computed)
    except (ledgers.NoLedger, ledgers.OtherVersion) as error:
        if not accept:
            raise fail(str(error)) from None
        if isinstance(error, ledgers.NoLedger):
            return []
        before, after = changes.settled(ledgers.read_json(project.ledger)), changes.settled({"claims": computed.claims})
        return [str(change) for change in changes.changes(before, after)]
    except ledgers.LedgerError as error:
        raise fail(str(error)) from None


def _record(computed: ledgers.Ledger) -> dict[str, Any]:
    """What somebody needs to know who runs it again, elsewhere or later."""
    seeds = {
        claim["id"]: found for claim in computed.claims
        if (found := sorted({item["seed"] for item in claim["evidence"] if "seed" in item}))
    }
    installed = {d.metadata["Name"]: d.version for d in importlib.metadata.distributions()}
    return {
        "ledger": {"version": ledgers.LEDGER_VERSION, "package": computed.package, "sha256": computed.sha256},
        "platform": {
            "system": platform.platform(), "machine": platform.machine(),
            "python": f"{platform.python_implementation()} {platform.python_version()}",
        },
        "installed": dict(sorted(installed.items(), key=lambda item: item[0].lower())),
        "seeds": seeds,
    }


@app.command(epilog=example("claimproof claims", "claimproof claims CLW-L3.1", "claimproof claims --summary", "claimproof claims --json"))
def claims(
    claim_id: Annotated[str | None, typer.Argument(metavar="[ID]", help="Tell the whole story of one claim.")] = None,
    summary: Annotated[bool, typer.Option("--summary", help="Only the table of verdicts and the headlines.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the claims with their verdicts and evidence, as the committed ledger has them."""
    project = _project()
    ledger = _ledger(project)
    if claim_id is not None:
        claim = _known(ledger, claim_id)
        if as_json:
            print(json.dumps(claim, indent=1, ensure_ascii=False))
        else:
            report.tell(console(), claim, ledger, program(), project.formulas_package)
    elif as_json:
        print(json.dumps(list(ledger.claims), indent=1, ensure_ascii=False))
    else:
        if not summary:
            report.list_claims(console(), ledger.claims)
        console().print(report.summary_table(ledger, {key: key.upper() for key in ledger.counts()}))
        console().print(report.evidence_line(ledger), highlight=False)
        for line in report.headlines(ledger):
            console().print(line, highlight=False)


def _known(ledger: ledgers.Ledger, claim_id: str) -> ClaimEntry:
    try:
        return ledger[claim_id]
    except KeyError:
        close = ", ".join(c["id"] for c in ledger.claims if claim_id.lower() in c["id"].lower()) or "none similar"
        raise fail(f"unknown claim {claim_id!r} ({close})", 2) from None


@app.command(epilog=example("claimproof errata", "claimproof errata CLW-T3.1", "claimproof errata --paper clw --verdict false", "claimproof errata --json"))
def errata(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Only these claims.")] = None,
    paper: Annotated[str | None, typer.Option(help="Only those of this paper.")] = None,
    verdict: Annotated[str | None, typer.Option(help="Only those with this verdict: false, misprint, holds-if or gap.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """List what is not as printed: the place, a witness, and what holds instead."""
    ledger = _ledger(_project())
    wrong = ledger.errata()
    if as_json and as_markdown:
        raise fail("--json and --markdown are two forms: name one", 2)
    for claim_id in ids or ():
        if _known(ledger, claim_id) not in wrong:
            raise fail(f"{claim_id} is no erratum: its verdict is {ledger[claim_id]['verdict']}", 2)
    if paper is not None and paper not in ledger.counts():
        raise fail(f"no paper {paper!r} in the ledger (it has: {', '.join(ledger.counts())})", 2)
    if verdict is not None and verdict not in ledgers.ERRATA:
        raise fail(f"--verdict {verdict!r} is none of an erratum (accepted: {', '.join(ledgers.ERRATA)})", 2)
    chosen = [
        claim for claim in wrong
        if (not ids or claim["id"] in ids) and paper in (None, claim["paper"]) and verdict in (None, claim["verdict"])
    ]
    if as_json:
        print(json.dumps(chosen, indent=1, ensure_ascii=False))
    elif as_markdown:
        print(report.errata_markdown(chosen))
    else:
        report.tell_errata(console(), chosen)


@app.command(epilog=example("claimproof diff old-ledger.json", "claimproof diff v0.1.0", "claimproof diff old.json new.json --markdown"))
def diff(
    old: Annotated[str, typer.Argument(help="A ledger of any version: a file, or a git revision.")],
    new: Annotated[str | None, typer.Argument(help="Another; the committed ledger without one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print a table in Markdown.")] = False,
) -> None:
    """List the claims whose verdict or basis differs between two ledgers."""
    if as_json and as_markdown:
        raise fail("--json and --markdown are two forms: name one", 2)
    before = _settled(old)
    after = _settled(str(_project().ledger) if new is None else new)
    changed = changes.changes(before, after)
    if as_json:
        print(json.dumps([asdict(change) for change in changed], indent=1, ensure_ascii=False))
    elif as_markdown:
        print(report.changes_markdown(changed))
    else:
        console().print(report.changes_table(changed))
        console().print(f"{len(changed)} changed; {report.closed_line(before, after)}", highlight=False)


def _settled(named: str) -> dict[str, changes.Settled]:
    """The verdicts of a ledger that is a file, or the committed one of a git revision."""
    try:
        if Path(named).is_file():
            return changes.settled(ledgers.read_json(Path(named)))
        project = _project()
        shown = subprocess.run(
            ["git", "show", f"{named}:{project.relative(project.ledger)}"], cwd=project.root, capture_output=True,
            text=True, check=False,
        )
        if shown.returncode != 0:
            raise fail(f"{named!r} is neither a file nor a git revision that has a ledger", 2)
        return changes.settled(ledgers.parsed(shown.stdout, named))
    except ledgers.LedgerError as error:
        raise fail(f"{named}: {error}", 2) from None


@app.command(epilog=example("claimproof generate", "claimproof generate --check"))
def generate(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail if formulas/ differs.")] = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Run the derivations anew.")] = False,
) -> None:
    """Write the numeric functions of all verified exports to the folder of generated formulas."""
    _require_extra()
    project = _project()
    _inventory(project)
    # Derivations about shipped code need the formulas that are written here, and export none.
    scripts = [script for script in project.scripts() if not project.is_about_shipped_code(script)]
    outcomes = _run(project, scripts, _may_use_cache(no_cache))
    _raise_on_failures(outcomes)
    from claimproof.codegen import generator
    from claimproof.codegen.export import Export
    from claimproof.core.verdict import verdict_of

    results = [outcome.result for outcome in outcomes if outcome.result]
    try:
        verdicts = {claim: verdict_of(claim, checks).value for result in results for claim, checks in result.claims.items()}
        exports = [Export.from_json(e) for result in results for e in result.exports]
        if check:
            if differing := generator.check(exports, verdicts, project.formulas):
                for line in differing:
                    problems().print(escape(line), highlight=False)
                raise fail(f"formulas differ in {len(differing)} places (regenerate with '{program()} generate')")
            console().print(f"formulas are as generated: {len(exports)} functions")
        else:
            generator.generate(exports, verdicts, project.formulas)
            console().print(f"{len(exports)} functions written to {project.relative(project.formulas)}")
    except (ContradictoryChecks, inventories.InventoryError, generator.GenerationError) as error:
        raise fail(str(error)) from None


@app.command(epilog=example("claimproof notebooks", "claimproof notebooks --only 'clw/s3*'", "claimproof notebooks --check"))
def notebooks(
    only: Annotated[str | None, typer.Option(help="Build only the notebooks that match this glob: paper/name, or ids of claims.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail if a notebook and its derivation differ.")] = False,
) -> None:
    """Build the notebooks from the derivations and execute them."""
    _require_extra()
    from claimproof.run import notebooks as builder

    project = _project()
    scripts = _selected(project, only)
    if check:
        if only is None:
            drifted = builder.check(project.derivations, project.notebooks)
        else:
            drifted = [
                line for script in scripts
                for line in builder.drift(script, builder.notebook_for(script, project.notebooks))
            ]
        for line in drifted:
            problems().print(escape(line), highlight=False)
        if drifted:
            raise fail(f"notebooks differ from their derivations (rebuild with '{program()} notebooks')")
        console().print(f"{len(scripts)} notebooks match their derivations")
        return
    try:
        builder.build(scripts, project.notebooks, project=project)
    except builder.BuildFailed as error:
        raise fail(str(error)) from None


@app.command(epilog=example("claimproof prove", "claimproof prove --accept"))
def prove(
    accept: Annotated[bool, typer.Option("--accept", help="Write what was proved to proofs/record.json.")] = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Compile everything, even what has not changed.")] = False,
) -> None:
    """Let Coq check proofs/, list what was proved on which axioms, and compare it with the committed record."""
    from claimproof.engines import coq

    started = time.perf_counter()
    project = _project()
    if not coq.installed():
        raise fail(coq.INSTALL, 2)

    def tell(done: coq.Compiled) -> None:
        console().print(f"proofs/{done.file}  {'unchanged' if done.cached else f'{done.seconds:.1f} s'}", highlight=False)

    try:
        record = coq.prove(project, tell, _may_use_cache(no_cache))
    except coq.CoqError as error:
        raise fail(str(error)) from None
    known = _inventory(project).claims
    for theorem in record.theorems:
        if unknown := [claim for claim in theorem.claims if claim not in known]:
            raise fail(f"{theorem.file}: {theorem.name} is said to prove {', '.join(unknown)}, which no inventory has")
        console().print(f"{theorem.basis}  {escape(theorem.name)}  {' '.join(theorem.claims)}", highlight=False)
    by_basis = ", ".join(
        f"{sum(t.basis == basis for t in record.theorems)} {basis}" for basis in ("proved", "proved (interval)")
    )
    axioms = sorted({axiom for theorem in record.theorems for axiom in theorem.axioms})
    console().print(f"\n{len(record.files)} files, {record.lemmas} lemmas, {len(record.theorems)} theorems ({by_basis})", highlight=False)
    console().print(f"axioms: {', '.join(axioms) or 'none'}", highlight=False)
    if accept:
        coq.write(project, record)
        console().print("record written: proofs/record.json")
    elif (committed := coq.Record.read(project)) is None:
        raise fail(f"there is no proofs/record.json (write it with '{program()} prove --accept')")
    elif changed := committed.differences(record):
        for line in changed:
            problems().print(escape(line), highlight=False)
        raise fail(f"what was proved is not what is recorded (accept it with '{program()} prove --accept')")
    console().print(f"Coq {record.coq} accepts all of it. {time.perf_counter() - started:.1f} s", highlight=False)


def main() -> None:
    app()


if __name__ == "__main__":
    main()
