"""Sweeps: one scene with many values of its parameters."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core, _toml
from ._checks import whole
from ._progress import Progress
from .recording import Recording
from .world import World

SCENE_TEXT = "scene.toml"
"""Where a scene that is no file is kept in the folder of its sweep."""


class Sweep(Sequence[dict[str, Any]]):
    """What came of a sweep: a row a run, ready for pandas.

    Attributes
    ----------
    out : Path
        The sweep's folder.
    columns : list of str
        Headings.
    failed : dict
        Last words of the runs that failed, by their number from 1.

    Examples
    --------
    ``pandas.DataFrame(sweep)`` makes a table; ``sweep["count"]`` is a column as an array.

    >>> import drystone as ds, tempfile
    >>> table = ds.sweep("pile", {"count": [5, 10]}, until=0.02, out=tempfile.mkdtemp())
    >>> table[1]["count"], table[1]["ended"]
    (10, 'limit')
    """

    def __init__(
        self,
        out: Path,
        columns: list[str],
        rows: list[dict[str, Any]],
        failed: dict[int, str],
    ) -> None:
        self.out = out
        self.columns = columns
        self.failed = failed
        self._rows = rows

    def __repr__(self) -> str:
        return f"<Sweep of {len(self)} runs in {os.fspath(self.out)!r}, {len(self.failed)} failed>"

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._rows)

    def __getitem__(self, key: Any) -> Any:
        """A run by its index, or a column by its name as an array."""
        if isinstance(key, str):
            if key not in self.columns:
                raise KeyError(f"there is no column {key!r}, only {', '.join(self.columns)}")
            return self.column(key)
        return self._rows[key]

    def column(self, name: str) -> NDArray[Any]:
        """A column as an array.

        Examples
        --------
        >>> import drystone as ds, tempfile
        >>> table = ds.sweep("pile", {"count": [5, 10]}, until=0.02, out=tempfile.mkdtemp())
        >>> table.column("count")
        array([ 5, 10])
        """
        return np.array([row[name] for row in self._rows])

    def recording(self, run: int) -> Recording:
        """The recording of a run, by its index.

        Examples
        --------
        >>> import drystone as ds, tempfile
        >>> table = ds.sweep("pile", {"count": [5, 10]}, until=0.02, out=tempfile.mkdtemp())
        >>> len(table.recording(1).groups["grains"])
        10
        """
        return Recording(self.out / self._rows[run]["folder"])

    def recordings(self) -> Iterator[tuple[dict[str, Any], Recording]]:
        """All runs with their recordings.

        Examples
        --------
        >>> import drystone as ds, tempfile
        >>> table = ds.sweep("pile", {"count": [5, 10]}, until=0.02, out=tempfile.mkdtemp())
        >>> [(row["count"], len(recording.groups["grains"])) for row, recording in table.recordings()]
        [(5, 5), (10, 10)]
        """
        return ((row, self.recording(k)) for k, row in enumerate(self._rows))


def sweep(
    scene: str | os.PathLike[str] | World,
    parameters: Mapping[str, Iterable[Any]],
    *,
    repeats: int = 1,
    out: str | os.PathLike[str],
    workers: int = 1,
    until: float | None = None,
    set: Mapping[str, Any] | None = None,
    allow_outside: bool = False,
    measure: Callable[[Recording], Mapping[str, Any]] | None = None,
    progress: bool = False,
) -> Sweep:
    """Run every combination of values, each in a process of its own.

    Seeds follow from the place of a run in the plan, not from the worker that makes it. A sweep
    that was stopped goes on where it was; runs that are done are not made again, and `measure` is
    asked anew. Another scene, or other values, need another folder. The command line does the
    same: ``drystone sweep SCENE --set opening=0.02,0.03 --repeats 5 -o DIR``.

    Parameters
    ----------
    scene : str, path or World
        A built-in scene, a file, TOML text, or a world that a scene can say.
    parameters : mapping
        Values of each parameter, or of any key by its path.
    repeats : int
        How often each combination is run, with different seeds: of the parameter ``seed`` where
        the scene has one, else of its fills.
    out : str or path
        Folder for the runs, ``sweep.json`` and ``results.csv``.
    workers : int
        Processes at a time. Each works on one thread.
    until : float, optional
        Simulated time, s, of each run; the scene's end unless given.
    set : mapping, optional
        What all runs share.
    allow_outside : bool
        Let the scene read files outside its folder.
    measure : callable, optional
        Gets the :class:`Recording` of each run and returns a dictionary of figures, which become
        columns. It is called here, not in the runs' processes: any function will do.
    progress : bool
        Show a bar.

    Returns
    -------
    Sweep

    Raises
    ------
    SceneError
        Where the scene does not take one of the values; nothing has run then.

    Examples
    --------
    >>> import drystone as ds, tempfile
    >>> height = lambda recording: {"height": recording[-1].positions[:, 2].max()}
    >>> table = ds.sweep("pile", {"radius": ["2 cm", "3 cm"]}, until=0.02, set={"count": 10},
    ...                  out=tempfile.mkdtemp(), measure=height)
    >>> [row["radius"] for row in table]
    ['2 cm', '3 cm']
    >>> table["height"].shape
    (2,)
    """
    folder = Path(out)
    workers, repeats = whole(workers, "workers", 1), whole(repeats, "repeats", 1)
    if until is None and isinstance(scene, World) and scene._is_endless():
        raise ValueError("the world has no duration: say until when its runs go")
    for name, all in parameters.items():
        if isinstance(all, str) or not isinstance(all, Iterable):
            raise TypeError(f"{name}: found {type(all).__name__}, expected a list of values")
    given = {name: list(all) for name, all in parameters.items()}
    values = [(name, [_toml.override(v, name) for v in all]) for name, all in given.items()]
    settings = _pairs(set or {})
    text = _text_of(scene)
    made = text is not None and not (folder / SCENE_TEXT).exists()
    was_there = folder.exists()
    file = _named(scene) if text is None else _written(text, folder)
    source = (file, settings, allow_outside)
    bar = Progress(progress, None, "runs")

    def tell(done: int, all: int) -> None:
        bar.total = all
        bar.update(done, f"of {all}")

    command = [sys.executable, "-m", "drystone", "run"]
    try:
        columns, rows, failed = _core.run_sweep(
            source, values, repeats, until, folder, workers, command, tell if progress else None
        )
    except Exception:
        if made:
            _take_back(folder, was_there)
        raise
    finally:
        bar.close()
    for run, words in failed:
        warnings.warn(f"run {run + 1} failed: {words}", stacklevel=2)
    table = [_row(columns, row, given) for row in rows]
    result = Sweep(folder, columns, table, {run + 1: words for run, words in failed})
    if measure is not None:
        _measure(result, measure)
    return result


def _measure(result: Sweep, measure: Callable[[Recording], Mapping[str, Any]]) -> None:
    """Adds what `measure` says of each run to its row."""
    for row in result:
        if row["ended"] in ("finished", "limit"):
            figures = measure(Recording(result.out / row["folder"]))
            if not isinstance(figures, Mapping):
                found = type(figures).__name__
                raise TypeError(f"measure: returned {found}, expected a dictionary of figures")
            row.update(figures)
    added = [key for row in result for key in row if key not in result.columns]
    result.columns += list(dict.fromkeys(added))
    for row in result:
        for key in result.columns:
            row.setdefault(key, None)


def _take_back(folder: Path, was_there: bool) -> None:
    """Removes the scene's text, just written, where a sweep was refused before it began.

    The folder goes too, unless it was there before.
    """
    if (folder / "sweep.json").exists():
        return
    (folder / SCENE_TEXT).unlink()
    if not was_there and not any(folder.iterdir()):
        folder.rmdir()


def _pairs(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(key, _toml.override(value, key)) for key, value in given.items()]


def _row(columns: list[str], cells: list[str], given: Mapping[str, list[Any]]) -> dict[str, Any]:
    """A row with numbers as numbers, and parameters as they were given."""
    row: dict[str, Any] = {}
    for name, cell in zip(columns, cells, strict=True):
        if name in given:
            same = [v for v in given[name] if _toml.override(v, name) == cell]
            row[name] = same[0] if same else cell
        else:
            row[name] = _number(cell)
    return row


def _number(cell: str) -> Any:
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell or None


def _text_of(scene: str | os.PathLike[str] | World) -> str | None:
    """The scene's text where it is given as text or as a world."""
    if isinstance(scene, World):
        return scene.to_toml()
    return scene if isinstance(scene, str) and "\n" in scene else None


def _named(scene: Any) -> str:
    """The scene's file or name."""
    if not isinstance(scene, (str, os.PathLike)):
        raise TypeError(f"sweep: found {type(scene).__name__}, expected a name, path, text or World")
    return os.fspath(scene)


def _written(text: str, folder: Path) -> str:
    """The file of a scene's text, in the sweep's folder."""
    file = folder / SCENE_TEXT
    if file.exists() and file.read_text(encoding="utf-8") != text:
        raise ValueError(f"{file}: holds another scene; choose another folder for the sweep")
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return os.fspath(file)
