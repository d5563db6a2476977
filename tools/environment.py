"""Sets up .venv from the pinned requirements, and renews the pins.

    python3 tools/environment.py setup    .venv from requirements.txt, if anything changed
    python3 tools/environment.py lock     requirements.txt and environment.yml from requirements.in

Runs before anything is installed: the standard library only, and a syntax that older
interpreters can read far enough to say that they are too old.
"""

import hashlib
import os
import subprocess
import sys
import tempfile

OLDEST = (3, 11)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
STAMP = os.path.join(VENV, "crawlproof-setup.sha256")
DECIDES = ("requirements.txt", "pyproject.toml")

ENVIRONMENT_YML = """\
# The packages and versions of requirements.txt, for conda users; `make lock` writes both.
#   conda env create -f environment.yml && conda activate crawlproof
#   pip install --no-deps --no-build-isolation -e .
name: crawlproof
dependencies:
  - python>=%s
  - pip
  - pip:
%s
"""


def main(arguments):
    commands = {"setup": setup, "lock": lock}
    if len(arguments) != 1 or arguments[0] not in commands:
        sys.exit(__doc__)
    check_interpreter()
    try:
        commands[arguments[0]]()
    except subprocess.CalledProcessError as error:
        sys.exit("error: `%s` failed; see above" % " ".join(error.cmd))


def check_interpreter():
    found = "%d.%d.%d" % sys.version_info[:3]
    if sys.version_info < OLDEST:
        sys.exit(
            "error: crawlproof needs Python %s or later; %s is Python %s.\n"
            "Name another one: make PYTHON=python3.12 ..." % (dotted(OLDEST), sys.executable, found)
        )
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as missing:
        # Debian and its kin keep these in a package of their own.
        sys.exit(
            "error: Python %s (%s) can't make virtual environments: %s.\n"
            "Install its venv package (on Debian: python%s-venv), or name another Python: "
            "make PYTHON=python3.12 ..."
            % (found, sys.executable, missing, dotted(sys.version_info[:2]))
        )


def setup():
    """Contents decide, never dates: a fresh clone or a touched file changes no hash."""
    # The interpreter counts only when it was asked for by name: plain `make` takes what is there.
    asked_for = "CRAWLPROOF_PYTHON" in os.environ
    present = venv_version()
    version = dotted(sys.version_info[:2])
    too_old = present and tuple(map(int, present.split("."))) < OLDEST
    if too_old or (asked_for and present and present != version):
        say("replacing .venv of Python %s by one of Python %s" % (present, version))
        present = None
    if present and read(STAMP) == fingerprint(present):
        return
    if os.path.exists(STAMP):
        os.remove(STAMP)
    if not present:
        say("making .venv with Python %s" % version)
        run(sys.executable, "-m", "venv", "--clear", VENV)
    say("installing the pinned requirements into .venv (the first time takes minutes)")
    pip(venv_python(VENV), "install", "-r", os.path.join(ROOT, "requirements.txt"))
    # The build backend is one of the pins, so that nothing unpinned is fetched for it.
    pip(venv_python(VENV), "install", "--no-deps", "--no-build-isolation", "-e", ROOT)
    # Last, so that a set-up that was stopped is done again.
    write(STAMP, fingerprint(venv_version()))


def lock():
    """Pins are what pip resolves for requirements.in in an empty environment."""
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "venv", folder)
        python = venv_python(folder)
        pip(python, "install", "--upgrade", "-r", os.path.join(ROOT, "requirements.in"))
        command = [python, "-m", "pip", "freeze", "--all", "--exclude", "pip"]
        pins = subprocess.check_output(command, universal_newlines=True).split("\n")
    pins = sorted((pin for pin in pins if pin), key=str.lower)
    write(os.path.join(ROOT, "requirements.txt"), "\n".join(pins) + "\n")
    write(os.path.join(ROOT, "environment.yml"), environment_yml(pins))


def environment_yml(pins):
    return ENVIRONMENT_YML % (dotted(OLDEST), "\n".join("      - " + pin for pin in pins))


def fingerprint(version):
    digest = hashlib.sha256()
    for name in DECIDES:
        with open(os.path.join(ROOT, name), "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    # A venv has its own path in its scripts: a copied one must be set up again.
    digest.update(("%s\0%s" % (version, ROOT)).encode("utf-8"))
    return digest.hexdigest() + "\n"


def venv_python(folder):
    return os.path.join(folder, "bin", "python")


def venv_version():
    """Like "3.12", or None when there is no .venv that runs."""
    command = [venv_python(VENV), "-c", "import sys, pip; print('%d.%d' % sys.version_info[:2])"]
    try:
        return subprocess.check_output(
            command, universal_newlines=True, stderr=subprocess.DEVNULL
        ).strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def pip(python, command, *arguments):
    quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
    run(python, "-m", "pip", command, *(quiet + list(arguments)))


def run(*command):
    subprocess.check_call(command)


def read(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return None


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def dotted(version):
    return ".".join(str(part) for part in version)


def say(text):
    print("setup: " + text)
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
