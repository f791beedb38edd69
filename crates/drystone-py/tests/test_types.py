"""Types, stubs and documentation."""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import drystone as ds
from drystone import _core

PACKAGE = Path(__file__).resolve().parents[1]
MODULES = [
    "adding",
    "cones",
    "control",
    "loading",
    "mechanisms",
    "pictures",
    "problem",
    "recording",
    "reports",
    "shapes",
    "simulation",
    "solvers",
    "state",
    "stepping",
    "sweeps",
    "world",
]


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


@pytest.mark.parametrize("name", ["", "_bodies", "_threads", *MODULES])
def test_examples_of_the_documentation_run(name: str, tmp_path: Path) -> None:
    module = importlib.import_module(f"drystone.{name}".rstrip("."))
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        failures, tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    finally:
        os.chdir(before)
    assert failures == 0 and tried > 0


def members(thing: type) -> Iterator[tuple[str, object]]:
    """Public methods and properties of ours, also those of the classes that it is made of."""
    ours = [c for c in thing.__mro__ if c.__module__.startswith("drystone.")]
    for key, member in ((k, m) for c in ours for k, m in vars(c).items()):
        if key.startswith("_") or not (callable(member) or isinstance(member, (property, classmethod))):
            continue
        yield key, member


def test_everything_public_is_documented() -> None:
    for name in ds.__all__:
        thing = getattr(ds, name)
        if not callable(thing):
            continue
        assert (thing.__doc__ or "").strip(), name
        if inspect.isclass(thing):
            for key, member in members(thing):
                assert (getattr(member, "__doc__", "") or "").strip(), f"{name}.{key}"


def test_functions_classes_and_methods_have_examples() -> None:
    without = []
    for name in ds.__all__:
        thing = getattr(ds, name)
        is_error = inspect.isclass(thing) and issubclass(thing, Exception)
        if not (callable(thing) or inspect.isclass(thing)) or is_error:
            continue
        if ">>>" not in (thing.__doc__ or ""):
            without.append(name)
        if inspect.isclass(thing):
            methods = ((k, m) for k, m in members(thing) if not isinstance(m, property))
            without += [f"{name}.{key}" for key, m in methods if ">>>" not in (m.__doc__ or "")]
    assert without == []


def test_modules_are_all_known() -> None:
    found = {m.name for m in pkgutil.iter_modules(ds.__path__) if not m.name.startswith("_")}
    assert found == set(MODULES)
