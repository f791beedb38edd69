"""Steps and runs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ._checks import real, whole
from ._core import Simulation as Engine
from ._progress import Progress
from .pictures import draw
from .problem import Problem
from .reports import ENDLESS, StepReport

if TYPE_CHECKING:
    from typing_extensions import Self


class Stepping:
    """How a simulation goes on: step by step, in runs, or by answers of Python's own."""

    _core: Engine
    _folder: Path | None
    """Where it last recorded to."""

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._core.time

    @property
    def step_count(self) -> int:
        """Steps made so far."""
        return self._core.step_count

    @property
    def unconverged_steps(self) -> int:
        """Steps that did not reach the tolerance."""
        return self._core.unconverged_steps

    @property
    def finished(self) -> bool:
        """Whether the scene has come to its end."""
        return self._core.is_finished

    @property
    def phase(self) -> str:
        """Name of the phase that it is in."""
        return self._core.phase

    @property
    def phases(self) -> list[str]:
        """Names of all phases."""
        return self._core.phases

    def step(self) -> StepReport:
        """Make one step, also after the scene's end.

        Returns
        -------
        StepReport
            Not reaching the tolerance is an outcome that the report tells, not an error.

        Raises
        ------
        StepError
            Where the step could not be made. The simulation is as it was before it.
        KeyboardInterrupt
            On Ctrl-C, within the step, which then does not count.

        Examples
        --------
        >>> import drystone as ds
        >>> ds.load("stack").step().step
        1
        """
        return StepReport._make(self._core.step())

    def steps(self, until: float | None = None, count: int | None = None) -> Iterator[StepReport]:
        """Step one by one, with time to look and to act between steps.

        Parameters
        ----------
        until : float, optional
            Simulated time, s, to go to, even beyond the scene's end.
        count : int, optional
            Number of steps to make from here, even beyond the scene's end.
            Without either, the steps go to the scene's end.

        Yields
        ------
        StepReport

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("pile", count=20)
        >>> sum(report.contacts for report in sim.steps(count=3)) >= 0
        True
        """
        until = None if until is None else real(until, "until", endless=True)
        beyond = until is not None or count is not None
        self._check_end(beyond)
        last = None if count is None else self.step_count + whole(count, "count")
        while not self._core.is_over(until, last, beyond):
            yield self.step()

    def run(
        self,
        until: float | None = None,
        *,
        steps: int | None = None,
        out: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        resume: bool = False,
        progress: bool = False,
        callback: Callable[[Self], object] | None = None,
        every: int = 1,
        picture: bool = False,
    ) -> dict[str, Any]:
        """Step to a time, or to the scene's end.

        Parameters
        ----------
        until : float, optional
            Simulated time, s, to go to, even beyond the scene's end.
        steps : int, optional
            Number of steps to make from here.
        out : str or path, optional
            Folder for frames, tables, checkpoints and a summary: what ``drystone run`` leaves.
        overwrite, resume : bool
            Replace the run that is in the folder, or go on with it.
        progress : bool
            Show a bar (by tqdm if it is installed).
        callback : callable, optional
            Called as ``callback(sim)`` before the first step and after every `every` steps; may
            read and set what it likes. An exception ends the run and is raised.
        every : int
            Steps between calls.
        picture : bool
            Draw the last moment into the folder, too.

        Returns
        -------
        dict
            How the run ended and what it came to; with `out` the content of ``summary.json``.

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("pile", count=20)
        >>> heights = []
        >>> sim.run(until=0.1, callback=lambda sim: heights.append(sim.positions[:, 2].max()))["ended"]
        'limit'
        >>> len(heights)
        26
        """
        every = whole(every, "every", 1)
        until = None if until is None else real(until, "until", endless=True)
        if callback is not None and not callable(callback):
            raise TypeError(f"callback: found {type(callback).__name__}, expected a function")
        if out is None:
            if overwrite or resume:
                raise ValueError("overwrite and resume need a folder: out=...")
            ended = self._advance(until, steps, progress, callback, every)
            return {"ended": ended, "steps": self.step_count, "time": self.time}
        self._core.record(Path(out), overwrite, resume)
        self._folder = Path(out)
        ended = "interrupted"
        try:
            ended = self._advance(until, steps, progress, callback, every)
        finally:
            summary = self._core.end_recording(ended)
        if picture:
            draw(self._core.picture, Path(out) / "picture.png", quality="draft")
        told: dict[str, Any] = json.loads(summary)
        return told

    def _check_end(self, given: bool) -> None:
        """Refuses to run without end."""
        end = self._core.end_time
        if not given and end is not None and end >= ENDLESS:
            raise ValueError("the world has no duration: say until when, or how many steps")

    def _advance(
        self,
        until: float | None,
        steps: int | None,
        progress: bool,
        callback: Callable[[Self], object] | None,
        every: int,
    ) -> str:
        beyond = until is not None or steps is not None
        self._check_end(beyond)
        last = None if steps is None else self.step_count + whole(steps, "steps")
        end = until if until is not None else self._core.end_time
        bar = Progress(progress, end, "s", self.time)

        def look(time: float, step: int) -> None:
            bar.update(time, f"step {step}")

        shown = look if progress else None
        try:
            if callback is None:
                return self._core.advance(until, last, beyond, shown)[0]
            callback(self)
            while True:
                next_stop = self.step_count + every
                stop = next_stop if last is None else min(next_stop, last)
                ended, report = self._core.advance(until, stop, beyond, shown)
                if report is None:
                    return ended
                callback(self)
                over = self._core.is_over(until, last, beyond)
                if over:
                    return "finished" if self.finished and not beyond else "limit"
        finally:
            bar.close()

    def begin(self) -> Problem:
        """Open the next step: find its contacts and hand out its cone problem.

        Nothing changes before :meth:`finish` has an answer. A step, or a change by a setter,
        closes the open step.

        Returns
        -------
        Problem

        Examples
        --------
        A step whose problem a solver written in Python answers:

        >>> import drystone as ds
        >>> sim = ds.load("pile", count=20)
        >>> summary = sim.run(until=0.2)
        >>> answer = sim.begin()
        >>> while isinstance(answer, ds.Problem):
        ...     gamma, t = answer.warm_start, 0.3 / answer.N.diagonal().max()
        ...     for _ in range(200):  # projected gradient
        ...         gamma = answer.project(gamma - t * answer.velocity(gamma))
        ...     answer = sim.finish(gamma)
        >>> answer.method, answer.step
        ('python', 51)
        """
        return Problem(self._core.begin())

    def finish(self, gamma: ArrayLike, iterations: int = 0) -> StepReport | Problem:
        """Take the answer to the open step.

        Parameters
        ----------
        gamma : array_like
            One impulse for each row of the problem, N s.
        iterations : int
            How many iterations it took, for the report.

        Returns
        -------
        StepReport or Problem
            The step's report; or, where the answer showed that the step needs more contacts, the
            problem that is to be solved next.

        Examples
        --------
        >>> import drystone as ds
        >>> sim = ds.load("stack")
        >>> answer = sim.begin()
        >>> while isinstance(answer, ds.Problem):
        ...     answer = sim.finish(answer.solve(tolerance=1e-6).gamma)
        >>> answer.step, answer.method
        (1, 'python')
        """
        answer = self._core.finish(gamma, iterations)
        return StepReport._make(answer) if isinstance(answer, tuple) else Problem(answer)
