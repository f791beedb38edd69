"""How far a run has come: a bar by tqdm where that is installed, else plain text."""

from __future__ import annotations

import sys
import time as clock
from typing import Any


class Progress:
    """Shows a figure on its way to a total; `total` is None where the end is not known."""

    def __init__(self, shown: bool, total: float | None, unit: str, start: float = 0.0) -> None:
        self.shown = shown
        self.total = total
        self.unit = unit
        self.start = start
        self.last = 0.0
        self.bar: Any = None
        if shown:
            self.bar = _tqdm(total, unit, start)

    def update(self, now: float, words: str = "") -> None:
        """Shows how far it is, a few times a second."""
        if not self.shown:
            return
        if self.bar is not None:
            self.bar.set_postfix_str(words, refresh=False)
            self.bar.update(now - self.bar.n)
        elif clock.monotonic() - self.last > 1.0:
            self.last = clock.monotonic()
            total = "" if self.total is None else f" of {self.total:.4g}"
            print(f"{now:.4g}{total} {self.unit}  {words}", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Ends the bar."""
        if self.bar is not None:
            self.bar.close()


def _tqdm(total: float | None, unit: str, start: float) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    form = "{l_bar}{bar}| {n:.3g}/{total:.3g} " + unit + " [{elapsed}<{remaining}{postfix}]"
    if total is None:
        form = "{n:.3g} " + unit + " [{elapsed}{postfix}]"
    return tqdm(total=total, initial=start, bar_format=form, leave=False)
