"""Values and tables as TOML, the text of scenes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def value(given: Any, where: str) -> str:
    """One value; `where` names it in errors."""
    if isinstance(given, (bool, np.bool_)):
        return "true" if given else "false"
    if isinstance(given, (int, np.integer)):
        return str(int(given))
    if isinstance(given, (float, np.floating)):
        if not math.isfinite(given):
            raise ValueError(f"{where}: {given} is not a finite number")
        # The shortest text that gives the same bits.
        return repr(float(given))
    if isinstance(given, str):
        # TOML's basic strings escape as JSON's do, but for what is beyond ASCII.
        return json.dumps(given, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(given, Mapping):
        inner = (f"{key(k)} = {value(v, f'{where}.{k}')}" for k, v in given.items())
        return "{ " + ", ".join(inner) + " }"
    if isinstance(given, np.ndarray):
        return value(given.tolist(), where)
    if isinstance(given, Sequence):
        return "[" + ", ".join(value(v, where) for v in given) + "]"
    raise TypeError(f"{where}: {type(given).__name__} cannot stand in a scene")


def key(name: str) -> str:
    """A key, in quotes where it needs them."""
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else json.dumps(name)


def override(given: Any, where: str) -> str:
    """A value as an override has it: text stays as it is, so that it may have units."""
    return given if isinstance(given, str) else value(given, where)


def table(entries: Mapping[str, Any], where: str) -> str:
    """Lines of a table; what is None is left out."""
    lines = (
        f"{key(k)} = {value(v, f'{where}.{k}')}" for k, v in entries.items() if v is not None
    )
    return "".join(line + "\n" for line in lines)
