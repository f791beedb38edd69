"""What a world is made of before it is built: the tables of a scene, and what text cannot hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core

Floats = NDArray[np.float64]


class Tables:
    """The parts that were added, in their order, with the names that are taken."""

    def __init__(self, title: str, settings: Mapping[str, Any]) -> None:
        self.title = title
        self._settings = dict(settings)
        self._tables: dict[str, list[dict[str, Any]]] = {}
        self._order: list[tuple[str, int]] = []
        self._single: dict[str, dict[str, Any]] = {}
        self._many: dict[int, dict[str, Any]] = {}
        self._natives: dict[str, _core.Shape] = {}
        self._motions: dict[str, Callable[[float], Any]] = {}
        self._motors: dict[str, tuple[str, Callable[[float], float], float | None]] = {}
        self._used: dict[str, int] = {}
        self._taken: dict[str, bool] = {}

    def _put(self, table: str, entries: Mapping[str, Any]) -> int:
        """Adds to a list of tables; returns the place."""
        given = {key: value for key, value in entries.items() if value is not None}
        rows = self._tables.setdefault(table, [])
        rows.append(given)
        self._order.append((table, len(rows) - 1))
        return len(rows) - 1

    def _name(self, name: str | None, kind: str) -> str:
        """The name of a new part: its own, or that of its kind with a number."""
        if name is not None:
            return name
        number = self._used.get(kind, 0)
        self._used[kind] = number + 1
        return kind if number == 0 else f"{kind}-{number}"

    def _take(self, name: str, alone: bool) -> None:
        """Notes the name of bodies. What text cannot hold is found by its name, which therefore
        belongs to it alone."""
        if name in self._taken and (alone or self._taken[name]):
            raise ValueError(
                f"body {name}: the name is taken; bodies from arrays, with a mesh from arrays or with "
                "a motion that is a Python function need one of their own"
            )
        self._taken[name] = alone
