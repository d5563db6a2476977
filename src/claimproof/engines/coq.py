"""Coq: a kernel that was written by others and that nothing here can talk round.

``proofs/`` holds libraries, whole theorems and exported lemmas. ``prove`` refuses sources that assume anything,
compiles what changed, and asks Coq for each theorem's statement, for the project's definitions in it and for its
axioms. The answer is committed as ``proofs/record.json``, so that a checkout without Coq can still tell what was
proved, and notices when a file is no longer the one that was.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from pathlib import Path

from claimproof.core.files import write_text
from claimproof.core.project import Project

INSTALL = "Coq is not installed: apt-get install --no-install-recommends coq libcoq-coquelicot libcoq-interval"
ROOT = "Proofs"  # what the folder proofs/ is called inside Coq

# What the real numbers of Coq's standard library rest on.
CLASSICAL = frozenset({
    "Coq.Reals.ClassicalDedekindReals.sig_forall_dec",
    "Coq.Reals.ClassicalDedekindReals.sig_not_dec",
    "Coq.Logic.FunctionalExtensionality.functional_extensionality_dep",
    "Coq.Logic.Classical_Prop.classic",
    "Coq.Logic.Eqdep.Eq_rect_eq.eq_rect_eq",
})
# What ``interval`` adds: machine integers and floats that compute as their specifications say.
PRIMITIVE = ("Coq.Numbers.Cyclic.Int63.", "Coq.Floats.")

# Words that assume something, leave something open, or switch off a check of the kernel.
FORBIDDEN = frozenset({
    "Admitted", "Admit", "admit", "give_up", "Abort", "Axiom", "Axioms", "Parameter", "Parameters", "Conjecture",
    "Conjectures", "Primitive", "bypass_check", "Guard", "Positivity", "Universe", "Declare", "Load", "Redirect",
})
IN_SECTIONS = frozenset({"Variable", "Variables", "Hypothesis", "Hypotheses", "Context"})

_WORD = re.compile(r"[A-Za-z_][\w']*")
_SENTENCE = re.compile(r"[^.]*(?:\.(?!\s|$)[^.]*)*\.(?=\s|$)")
_NAMED = re.compile(r"\b(Theorem|Lemma)\s+([A-Za-z_][\w']*)")
_CLAIMS = re.compile(r"\(\*\s*claim:\s*([^*]*?)\s*\*\)")
_QUALIFIED = re.compile(r"[A-Za-z_][\w']*(?:\.[A-Za-z_][\w']*)+")
_LOCATED = re.compile(r"(?:Constant|Inductive|Constructor)\s+([\w.']+)")


class CoqError(RuntimeError):
    """A proof that does not stand, or a source that may not be trusted."""


@dataclass(frozen=True)
class Theorem:
    """What Coq says of a theorem: all that somebody has to read in order to know what was proved."""

    name: str  # as in Proofs.theorems.Lemma_3_1.lemma_3_1
    file: str
    claims: tuple[str, ...]
    statement: str
    definitions: Mapping[str, str]  # the project's own, whatever the statement reaches
    axioms: tuple[str, ...]
    sha256: str  # of the statement and its definitions with all notations undone

    @property
    def basis(self) -> str:
        return "proved (interval)" if any(axiom.startswith(PRIMITIVE) for axiom in self.axioms) else "proved"


@dataclass(frozen=True)
class Record:
    """What stands in ``proofs/record.json``."""

    coq: str
    files: Mapping[str, str]  # sha256 of every source
    lemmas: int
    theorems: tuple[Theorem, ...]

    def to_text(self) -> str:
        return json.dumps(asdict(self), indent=1, ensure_ascii=False, sort_keys=True) + "\n"

    @classmethod
    def read(cls, project: Project) -> Record | None:
        try:
            found = json.loads(_record_file(project).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        theorems = tuple(
            Theorem(**{**t, "claims": tuple(t["claims"]), "axioms": tuple(t["axioms"])}) for t in found.pop("theorems")
        )
        return cls(theorems=theorems, **found)

    def stale(self, project: Project) -> list[str]:
        """Sources that are not those of this record; needs no Coq."""
        now = {project.relative(path): _sha256(path.read_bytes()) for path in sources(project)}
        return sorted(name for name in now.keys() | self.files.keys() if now.get(name) != self.files.get(name))

    def differences(self, other: Record) -> list[str]:
        """What a reader of the record would have to be told; the version of Coq is no difference."""
        mine, theirs = ({t.name: t for t in record.theorems} for record in (self, other))
        lines = [f"{name}: no longer there" for name in mine.keys() - theirs.keys()]
        lines += [f"{name}: new" for name in theirs.keys() - mine.keys()]
        for name in mine.keys() & theirs.keys():
            parts = [key for key, value in asdict(mine[name]).items() if value != asdict(theirs[name])[key]]
            if parts:
                lines.append(f"{name}: differs in {', '.join(parts)}")
        changed = {f for f in self.files.keys() | other.files.keys() if self.files.get(f) != other.files.get(f)}
        return sorted(lines) + [f"{name}: not the recorded file" for name in sorted(changed)]


def _record_file(project: Project) -> Path:
    return project.root / "proofs" / "record.json"


def write(project: Project, record: Record) -> None:
    write_text(_record_file(project), record.to_text())


def sources(project: Project) -> list[Path]:
    return sorted((project.root / "proofs").rglob("*.v"))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# ---- reading sources


def code_of(text: str) -> str:
    """The source with comments (they nest) and strings blanked, line by line as long as before."""
    kept: list[str] = []
    depth = position = 0
    in_string = False
    while position < len(text):
        two = text[position:position + 2]
        if not in_string and two == "(*":
            depth, step = depth + 1, 2
        elif not in_string and depth and two == "*)":
            depth, step = depth - 1, 2
        else:
            step = 1
            # Coq reads strings inside comments as well: a "*)" in one does not end the comment.
            if text[position] == '"':
                in_string = not in_string
            elif not in_string and not depth:
                kept.append(text[position])
                position += 1
                continue
        kept.append("".join("\n" if c == "\n" else " " for c in text[position:position + step]))
        position += step
    if depth or in_string:
        raise CoqError(f"an unfinished {'string' if in_string else 'comment'}")
    return "".join(kept)


def assumed(text: str) -> Iterator[str]:
    """What a source takes for granted, each with its line; nothing for an honest one."""
    code = code_of(text)
    sections: list[bool] = []  # of what is open: is it a section?
    for sentence in _SENTENCE.finditer(code):
        words = _WORD.findall(sentence.group())
        line = code.count("\n", 0, sentence.end()) + 1
        for word in words:
            if word in FORBIDDEN:
                yield f"line {line}: {word}"
            elif word in IN_SECTIONS and word in words[:2] and True not in sections:
                yield f"line {line}: {word} outside of a section"
        if words[:1] == ["Section"]:
            sections.append(True)
        elif words[:1] == ["Module"] and ":=" not in sentence.group():
            sections.append(False)
        elif words[:1] == ["End"] and sections:
            sections.pop()


def named(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """Theorems and lemmas of a source in order: kind, name, and the ids in a ``(* claim: ... *)`` right above it."""
    code = code_of(text)
    found = []
    last = 0
    for match in _NAMED.finditer(code):
        above = _CLAIMS.findall(text, last, match.start())
        found.append((match[1], match[2], tuple(above[-1].split()) if above else ()))
        last = match.end()
    return found


# ---- running Coq


def installed() -> bool:
    return shutil.which("coqc") is not None and shutil.which("coqdep") is not None


def _run(arguments: Sequence[str], folder: Path) -> str:
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CoqError((done.stderr or done.stdout).strip())
    return done.stdout


def _coqc(source: str, folder: Path) -> str:
    return _run(["coqc", "-q", "-w", "none", "-Q", ".", ROOT, source], folder)


def version() -> str:
    return _run(["coqc", "--print-version"], Path.cwd()).split()[0]


def _dependencies(names: Collection[str], folder: Path) -> dict[str, set[str]]:
    """For each source the sources that it requires, as coqdep reads them."""
    needs: dict[str, set[str]] = {name: set() for name in names}
    for line in _run(["coqdep", "-Q", ".", ROOT, *sorted(names)], folder).splitlines():
        targets, _, required = line.partition(":")
        first = targets.split()[0]
        if first.endswith(".vo"):
            needs[first.removesuffix("o")] |= {r.removesuffix("o") for r in required.split() if r.endswith(".vo")}
    for name, required in needs.items():
        if unknown := required - set(names):
            raise CoqError(f"{name} requires {', '.join(sorted(unknown))}, which is not in proofs/")
    return needs


@dataclass(frozen=True)
class Compiled:
    file: str
    seconds: float
    cached: bool


def _digests(needs: Mapping[str, set[str]], folder: Path) -> dict[str, str]:
    """Contents count, never dates: of the source, of all that it requires, and of Coq itself."""
    found: dict[str, str] = {}

    def digest(name: str) -> str:
        if name not in found:
            below = "".join(digest(required) for required in sorted(needs[name]))
            found[name] = _sha256(version_text + (folder / name).read_bytes() + below.encode())
        return found[name]

    version_text = version().encode()
    for name in needs:
        digest(name)
    return found


def _compile(names: Collection[str], folder: Path, tell: Callable[[Compiled], None]) -> bool:
    """Compile what changed, all cores, each file after those that it requires. True if anything did."""
    needs = _dependencies(names, folder)
    digests = _digests(needs, folder)
    stamps = {name: (folder / name).with_suffix(".done") for name in names}

    def one(name: str) -> Compiled:
        stamp = stamps[name]
        # The stamp is written last: a compilation that was interrupted leaves none that fits.
        if stamp.exists() and stamp.read_text() == digests[name] and (folder / name).with_suffix(".vo").exists():
            return Compiled(name, 0.0, True)
        started = time.perf_counter()
        try:
            _coqc(name, folder)
        except CoqError as error:
            raise CoqError(f"proofs/{name} does not compile:\n{error}") from None
        stamp.write_text(digests[name])
        return Compiled(name, time.perf_counter() - started, False)

    waiting = dict(needs)
    done: set[str] = set()
    changed = False
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        running: dict[Future[Compiled], str] = {}
        while waiting or running:
            for name in [name for name, required in waiting.items() if required <= done]:
                del waiting[name]
                running[pool.submit(one, name)] = name
            if not running:
                raise CoqError(f"these files require each other: {', '.join(sorted(waiting))}")
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                outcome = future.result()
                done.add(running.pop(future))
                changed |= not outcome.cached
                tell(outcome)
    return changed


# ---- asking Coq what it proved


def _module(file: str) -> str:
    return ".".join((ROOT, *Path(file).with_suffix("").parts))


def _ask(questions: Mapping[str, str], modules: Sequence[str], folder: Path, settings: str = "") -> dict[str, str]:
    """Coq's answers to vernacular commands, each in a file of its own so that none can be taken for another's."""
    asking = folder / "asking"
    shutil.rmtree(asking, ignore_errors=True)
    asking.mkdir()
    lines = [*(f"Require {module}." for module in modules), "Set Printing Width 110.", "Set Printing Depth 100000.", settings]
    order = list(questions)
    lines += [f'Redirect "asking/{i}" {questions[key]}.' for i, key in enumerate(order)]
    (asking / "Questions.v").write_text("\n".join(lines) + "\n", encoding="utf-8")
    _coqc("asking/Questions.v", folder)
    return {key: (asking / f"{i}.out").read_text(encoding="utf-8").strip() for i, key in enumerate(order)}


_RAW = "Set Printing All."
# For people: the notations of the reals, and no others.
_READABLE = "From Coq Require Import Reals. From Coquelicot Require Import Coquelicot. Open Scope R_scope."


def axioms_of(printed: str) -> tuple[str, ...]:
    """Names in the answer to Print Assumptions; whatever else it complains of counts as one, in its own words."""
    if printed == "Closed under the global context":
        return ()
    lines = [line for line in printed.splitlines() if line and not line.startswith(" ") and line not in ("Axioms:", "Section Variables:")]
    return tuple(sorted({line.split(" :")[0].strip() for line in lines}))


class _Reader:
    """Asks about compiled files, which it requires but does not import: so the project's names are always qualified."""

    def __init__(self, files: Mapping[str, str], folder: Path) -> None:
        self._modules = [_module(file) for file in files]
        self._folder = folder
        self._full: dict[str, str] = {}

    def ask(self, command: str, names: Collection[str], settings: str = "") -> dict[str, str]:
        return _ask({name: f"{command} {name}" for name in names}, self._modules, self._folder, settings) if names else {}

    def full_names(self, names: Collection[str]) -> dict[str, str]:
        """Names as Coq shortens them, each with the whole of it; what Coq can't locate stays as it is."""
        for name, answer in self.ask("Locate", sorted(set(names) - self._full.keys())).items():
            located = _LOCATED.match(answer)
            self._full[name] = located[1] if located else name
        return {name: self._full[name] for name in names}

    def ours(self, text: str) -> set[str]:
        """The project's own constants in a text that was printed with all notations undone."""
        return {name for name in self.full_names(set(_QUALIFIED.findall(text))).values() if name.startswith(f"{ROOT}.")}


def _theorems(files: Mapping[str, str], folder: Path) -> tuple[Theorem, ...]:
    """Every Theorem, and every lemma that was exported from a derivation."""
    facts = {
        f"{_module(file)}.{name}": (file, claims)
        for file, text in files.items() for kind, name, claims in named(text)
        if kind == "Theorem" or Path(file).parts[0] not in ("library", "theorems")
    }
    reader = _Reader(files, folder)
    statements = reader.ask("Check", facts.keys(), _READABLE)
    axioms = {fact: axioms_of(printed) for fact, printed in reader.ask("Print Assumptions", facts.keys()).items()}
    whole_axioms = reader.full_names({axiom for found in axioms.values() for axiom in found if " " not in axiom})
    # With notations undone nothing of the project's can hide behind a familiar look.
    raw = {fact: _type(text) for fact, text in reader.ask("Check", facts.keys(), _RAW).items()}
    bodies: dict[str, str] = {}
    reader.full_names({name for text in raw.values() for name in _QUALIFIED.findall(text)})
    frontier = {name for text in raw.values() for name in reader.ours(text)}
    while frontier:
        bodies |= reader.ask("Print", frontier, _RAW)
        reader.full_names({other for name in frontier for other in _QUALIFIED.findall(bodies[name])})
        frontier = {other for name in frontier for other in reader.ours(bodies[name])} - bodies.keys()
    readable = reader.ask("Print", bodies.keys(), _READABLE)

    def reached(text: str) -> list[str]:
        found: set[str] = set()
        todo = reader.ours(text)
        while todo:
            found |= todo
            todo = {other for name in todo for other in reader.ours(bodies[name])} - found
        return sorted(found)

    def theorem(fact: str) -> Theorem:
        file, claims = facts[fact]
        used = reached(raw[fact])
        whole = raw[fact] + "".join(f"\n{name}\n{bodies[name]}" for name in used)
        return Theorem(
            fact, f"proofs/{file}", claims, _type(statements[fact]), {name: readable[name] for name in used},
            tuple(sorted(whole_axioms.get(axiom, axiom) for axiom in axioms[fact])), _sha256(whole.encode()),
        )

    return tuple(theorem(fact) for fact in sorted(facts))


def _type(checked: str) -> str:
    """What follows the colon in the answer to Check."""
    return checked.partition(":")[2].strip()


def prove(project: Project, tell: Callable[[Compiled], None], use_cache: bool = True) -> Record:
    """Compile proofs/ and read off what was proved. Raises if anything is assumed or does not compile."""
    folder = project.root / ".cache" / "proofs"
    if not use_cache:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    files = {path.relative_to(project.root / "proofs").as_posix(): path.read_text(encoding="utf-8") for path in sources(project)}
    wrong = []
    for file, text in files.items():
        try:
            wrong += [f"proofs/{file}, {what}" for what in assumed(text)]
        except CoqError as error:
            wrong.append(f"proofs/{file}: {error}")
    if wrong:
        raise CoqError("something is assumed instead of proved:\n" + "\n".join(wrong))
    # Compiled in a copy, so that the checkout stays as it is; what left the checkout leaves the copy.
    for old in folder.rglob("*.v"):
        if old.relative_to(folder).as_posix() not in files:
            for leftover in old.parent.glob(f"{old.stem}.*"):
                leftover.unlink()
    for file, text in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
    changed = _compile(files.keys(), folder, tell)
    answers = folder / "answers.json"
    key = _sha256("".join(f"{file}\0{text}\0" for file, text in files.items()).encode() + Path(__file__).read_bytes())
    hashes = {f"proofs/{file}": _sha256(text.encode()) for file, text in files.items()}
    lemmas = sum(kind == "Lemma" for text in files.values() for kind, _, _ in named(text))
    if not changed and answers.exists() and (kept := json.loads(answers.read_text()))["key"] == key:
        theorems = tuple(Theorem(**{**t, "claims": tuple(t["claims"]), "axioms": tuple(t["axioms"])}) for t in kept["theorems"])
    else:
        theorems = _theorems(files, folder)
        write_text(answers, json.dumps({"key": key, "theorems": [asdict(t) for t in theorems]}))
    for theorem in theorems:
        if unknown := [a for a in theorem.axioms if a not in CLASSICAL and not a.startswith(PRIMITIVE)]:
            raise CoqError(f"{theorem.name} rests on {', '.join(unknown)}, which is not among the axioms of the reals")
    return Record(version(), hashes, lemmas, theorems)
