"""What pyproject.toml can't say: the wheel carries the inventory and the ledger, copied when it is built."""

from pathlib import Path
from shutil import copyfile

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent


class BuildWithRecord(build_py):
    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return  # a checkout has its derivations/ beside it
        for path in [ROOT / "pyproject.toml", *sorted((ROOT / "derivations").rglob("*.toml")), ROOT / "derivations" / "ledger.json"]:
            place = Path(self.build_lib) / "crawlproof" / "record" / path.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            copyfile(path, place)


setup(cmdclass={"build_py": BuildWithRecord})
