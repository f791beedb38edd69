"""What the examples share: where results go, and how large they are.

DRYSTONE_EXAMPLES=small makes every example small enough for a test. The pictures of the book come from the full size.
"""

from __future__ import annotations

import os
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

SMALL = os.environ.get("DRYSTONE_EXAMPLES") == "small"
OUT = Path(os.environ.get("DRYSTONE_OUT", "out/python"))


def size(full: float, small: float) -> float:
    """A figure of the example, or that of its small form."""
    return small if SMALL else full


def figure(width: float = 6.4, height: float = 4.0) -> tuple[plt.Figure, plt.Axes]:
    """An empty figure with a quiet frame."""
    plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False})
    return plt.subplots(figsize=(width, height), layout="constrained")


def keep(shown: plt.Figure, name: str) -> Path:
    """Writes a figure and says where."""
    OUT.mkdir(parents=True, exist_ok=True)
    file = OUT / f"{name}.png"
    shown.savefig(file, dpi=150)
    print(file)
    return file
