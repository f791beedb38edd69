"""Runs that were recorded, read frame by frame."""

from __future__ import annotations

import csv
import operator
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._bodies import Bodies, Chosen, Floats
from ._checks import real, whole
from .pictures import Look, Picture, View, draw, view_of
from .reports import CONTACT

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Frame(NamedTuple):
    """Where all bodies were at one moment.

    Examples
    --------
    >>> import drystone as ds, tempfile
    >>> folder = tempfile.mkdtemp() + "/stack"
    >>> summary = ds.load("stack").run(until=0.1, out=folder)
    >>> frame = ds.Recording(folder)[0]
    >>> frame.step, frame.time, frame.velocities.shape
    (0, 0.0, (21, 3))
    """

    number: int
    """Number of the frame, from 0."""
    step: int
    """Steps made before."""
    time: float
    """s."""
    positions: Floats
    """Origins of the shapes' frames, m, (n, 3)."""
    quaternions: Floats
    """[w, x, y, z], (n, 4)."""
    velocities: Floats
    """Of the centres of mass, m/s, (n, 3)."""
    angular_velocities: Floats
    """rad/s, (n, 3)."""
    enabled: NDArray[np.bool_]
    """Which bodies took part, (n,)."""
    contacts: NDArray[np.void] | None
    """As of :attr:`Simulation.contacts`; None where they were not recorded."""


class Recording(Bodies):
    """A run's folder, or its ``frames.dry``, open for reading. The run may still be going on.

    Parameters
    ----------
    path : str or path
        The folder of a run, or a recording.

    Examples
    --------
    >>> import drystone as ds, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> summary = ds.load("stack").run(until=0.1, out=folder + "/stack")
    >>> recording = ds.Recording(folder + "/stack")
    >>> recording[-1].positions.shape
    (21, 3)
    >>> int(recording.log["step"][-1])
    20
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._core = _core.Recording(self.path)
        self._times = self._core.times()
        self._steps = self._core.steps()

    def _source(self) -> _core.Recording:
        return self._core

    def __repr__(self) -> str:
        return f"<Recording of {self.title!r}: {len(self)} frames of {len(self.names)} bodies>"

    @property
    def time_step(self) -> float:
        """Length of a time step, s."""
        return self._core.time_step

    @property
    def times(self) -> Floats:
        """Times of all frames, s."""
        return self._times

    def __len__(self) -> int:
        return len(self._times)

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> list[Frame]: ...
    def __getitem__(self, index: int | slice) -> Frame | list[Frame]:
        """A frame by its number, or several."""
        if isinstance(index, slice):
            return [self._frame(number) for number in range(len(self))[index]]
        number = operator.index(index)
        number += len(self) if number < 0 else 0
        if not 0 <= number < len(self):
            raise IndexError(f"there is no frame {index}: there are {len(self)}")
        return self._frame(number)

    def _frame(self, number: int) -> Frame:
        x, q, v, w, enabled, packed = self._core.frame(number)
        contacts = None if packed is None else np.frombuffer(packed, dtype=CONTACT)
        step, time = int(self._steps[number]), float(self._times[number])
        return Frame(number, step, time, x, q, v, w, enabled, contacts)

    def __iter__(self) -> Iterator[Frame]:
        return (self[index] for index in range(len(self)))

    def at(self, time: float) -> Frame:
        """The frame nearest to a time in s.

        Examples
        --------
        >>> import drystone as ds, tempfile
        >>> folder = tempfile.mkdtemp() + "/stack"
        >>> summary = ds.load("stack").run(until=0.1, out=folder)
        >>> ds.Recording(folder).at(0.02).time
        0.02
        """
        if len(self) == 0:
            raise IndexError("there is no frame yet")
        return self[int(np.argmin(np.abs(self._times - real(time, "time"))))]

    def positions(self, bodies: Chosen = None, every: int = 1) -> Floats:
        """Positions of all frames at once, (frames, bodies, 3), m.

        Parameters
        ----------
        bodies : str, int or array, optional
            A name, indices or a mask; all bodies unless given.
        every : int
            One frame in so many.

        Examples
        --------
        >>> import drystone as ds, tempfile
        >>> folder = tempfile.mkdtemp() + "/stack"
        >>> summary = ds.load("stack").run(until=0.1, out=folder)
        >>> recording = ds.Recording(folder)
        >>> recording.positions("plates").shape == (len(recording), 20, 3)
        True
        """
        indices = self._indices(bodies, len(self.names))
        chosen: Any = slice(None) if indices is None else indices
        frames = range(0, len(self), whole(every, "every", 1))
        return np.array([self[frame].positions[chosen] for frame in frames])

    @property
    def log(self) -> NDArray[np.void]:
        """The table of steps as a structured array, with the columns of ``log.csv``."""
        return read_table(self._folder / "log.csv")

    @property
    def forces(self) -> NDArray[np.void]:
        """Recorded forces as a structured array: step, time, pair, fx, fy, fz."""
        return read_table(self._folder / "forces.csv")

    @property
    def joints(self) -> NDArray[np.void]:
        """Recorded joints as a structured array, with the columns of ``joints.csv``."""
        return read_table(self._folder / "joints.csv")

    @property
    def _folder(self) -> Path:
        return self.path if self.path.is_dir() else self.path.parent

    def picture(
        self,
        path: str | os.PathLike[str] | None = None,
        frame: int = -1,
        **look: Unpack[Look],
    ) -> Picture:
        """Draw a frame, as :meth:`Simulation.picture` does.

        Examples
        --------
        >>> import drystone as ds, tempfile
        >>> folder = tempfile.mkdtemp() + "/stack"
        >>> summary = ds.load("stack").run(until=0.1, out=folder)
        >>> picture = ds.Recording(folder).picture(frame=0, size=(80, 50), quality="sketch")
        """
        number = self[frame].number
        return draw(lambda look: self._core.picture(number, look), path, **look)

    def view(self, every: int | None = None, largest: int = View.LARGEST) -> View:
        """Show the run in three dimensions, as :meth:`Simulation.view` does.

        Examples
        --------
        >>> import drystone as ds, tempfile
        >>> folder = tempfile.mkdtemp() + "/stack"
        >>> summary = ds.load("stack").run(until=0.1, out=folder)
        >>> recording = ds.Recording(folder)
        >>> recording.view().frames == len(recording)
        True
        """
        return view_of(self.path, every, largest)

    def export(self, out: str | os.PathLike[str], format: str = "npz", every: int = 1) -> int:
        """Write the frames for other programs.

        Parameters
        ----------
        out : str or path
            Folder; made where it is not there.
        format : {"npz", "vtk", "csv", "obj"}
            NumPy archive, ParaView, tables or triangles.
        every : int
            One frame in so many.

        Returns
        -------
        int
            How many files were written.

        Examples
        --------
        >>> import drystone as ds, tempfile, numpy as np
        >>> folder = tempfile.mkdtemp() + "/stack"
        >>> summary = ds.load("stack").run(until=0.1, out=folder)
        >>> ds.Recording(folder).export(folder + "/npz")
        1
        """
        return self._core.export(format, Path(out), whole(every, "every", 1))


def read_table(file: Path) -> NDArray[np.void]:
    """A table of a run as a structured array: text as text, numbers as numbers."""
    with open(file, newline="", encoding="utf-8") as opened:
        head, *rows = csv.reader(opened)
    columns = {name: np.array([row[k] for row in rows]) for k, name in enumerate(head)}
    for name, cells in columns.items():
        columns[name] = _numbers(cells)
    table = np.zeros(len(rows), dtype=[(name, cells.dtype) for name, cells in columns.items()])
    for name, cells in columns.items():
        table[name] = cells
    return table


def _numbers(cells: NDArray[Any]) -> NDArray[Any]:
    """Numbers where all cells are some; an empty cell is none."""
    for kind in (np.int64, np.float64):
        try:
            return cells.astype(kind) if cells.size else cells.astype(np.float64)
        except ValueError:
            continue
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError:
        return cells
