"""The wheel: one for all Pythons from 3.10 on, without system libraries and without a network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from conftest import ROOT


@pytest.fixture(scope="module")
def wheel() -> Path:
    """The wheel that `tests/run` has built and installed."""
    given = os.environ.get("DRYSTONE_WHEEL")
    if given is None:
        pytest.skip("DRYSTONE_WHEEL does not say where the wheel is: use tests/run")
    return Path(given)


def test_one_wheel_serves_all_pythons(wheel: Path) -> None:
    assert re.match(r"drystone-[\d.]+-cp310-abi3-", wheel.name), wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    assert {"drystone/py.typed", "drystone/_core.pyi", "drystone/__init__.py"} <= set(names)
    [module] = [name for name in names if name.endswith(".so")]
    assert module == "drystone/_core.abi3.so"


def test_it_needs_no_system_library(wheel: Path, tmp_path: Path) -> None:
    readelf = shutil.which("readelf")
    if readelf is None:
        pytest.skip("there is no readelf")
    module = zipfile.ZipFile(wheel).extract("drystone/_core.abi3.so", tmp_path)
    told = subprocess.run([readelf, "-d", module], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", told))
    # Parts of the C library and of the compiler, which every Python brings along.
    assert {re.sub(r"\.so.*", "", name) for name in needed} <= {
        "libc", "libm", "libgcc_s", "libpthread", "libdl", "librt", "ld-linux-x86-64", "ld-linux-aarch64",
    }


def test_no_server_is_dragged_in() -> None:
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("there is no cargo")
    tree = [cargo, "tree", "--offline", "--locked", "-p", "drystone-py", "-e", "normal", "--prefix", "none"]
    told = subprocess.run(tree, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    crates = {line.split()[0] for line in told.splitlines() if line}
    assert "drystone-view" in crates
    assert not crates & {"axum", "hyper", "tokio", "mio", "socket2"}
