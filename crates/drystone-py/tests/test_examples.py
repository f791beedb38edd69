"""The examples and the book's code run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

EXAMPLES = ROOT / "examples" / "python"
SCRIPTS = ["repose", "silo", "gripper", "own_solver", "force_chains", "drawbar"]
NOTEBOOKS = ["first_steps", "rolling_friction"]
SMALL = {**os.environ, "DRYSTONE_EXAMPLES": "small"}


def test_all_examples_are_known() -> None:
    scripts = {p.stem for p in EXAMPLES.glob("*.py")} - {"common"}
    assert scripts == set(SCRIPTS)
    assert {p.stem for p in EXAMPLES.glob("*.ipynb")} == set(NOTEBOOKS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_run(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py"],
        env={**SMALL, "DRYSTONE_OUT": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(tmp_path.glob("*.png")), done.stdout


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    monkeypatch.setenv("DRYSTONE_EXAMPLES", "small")
    notebook = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    where = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=120, resources=where).execute()


@pytest.mark.parametrize("page", ["docs/python.md", "README.md", "crates/drystone-py/README.md"])
def test_the_code_of_the_book_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    language = "py" if page == "README.md" else "python"
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
