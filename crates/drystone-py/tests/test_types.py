"""Types, stubs and documentation."""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import drystone as ds
from drystone import _core

PACKAGE = Path(__file__).resolve().parents[1]
MODULES = ["shapes", "simulation", "world", "recording", "solvers", "sweeps", "pictures", "reports"]


def run(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=PACKAGE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_mypy_is_content() -> None:
    run("mypy")


def test_the_stub_says_what_the_module_has() -> None:
    run("mypy.stubtest", "drystone._core", "--ignore-disjoint-bases", "--allowlist", "tests/stubtest.txt")


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(inspect.getfile(ds)).parent / "py.typed").exists()
    assert ds.__version__ == _core.VERSION


@pytest.mark.parametrize("name", ["", *MODULES])
def test_examples_of_the_documentation_run(name: str, tmp_path: Path) -> None:
    module = importlib.import_module(f"drystone.{name}".rstrip("."))
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        failures, tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    finally:
        os.chdir(before)
    assert failures == 0 and (tried > 0 or name in ("", "pictures", "reports"))


def test_everything_public_is_documented() -> None:
    for name in ds.__all__:
        thing = getattr(ds, name)
        if not callable(thing):
            continue
        assert (thing.__doc__ or "").strip(), name
        if not inspect.isclass(thing) or thing.__module__ == "drystone":
            continue
        for key, member in vars(thing).items():
            public = not key.startswith("_") and (callable(member) or isinstance(member, property))
            if public:
                assert (getattr(member, "__doc__", "") or "").strip(), f"{name}.{key}"


def test_functions_have_examples() -> None:
    for name in ds.__all__:
        thing = getattr(ds, name)
        if inspect.isfunction(thing):
            assert ">>>" in (thing.__doc__ or ""), name


def test_modules_are_all_known() -> None:
    found = {m.name for m in pkgutil.iter_modules(ds.__path__) if not m.name.startswith("_")}
    assert found == set(MODULES)
