"""Pictures and replays."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from . import _core
from ._checks import whole


class Picture(bytes):
    """The bytes of a PNG file, which notebooks show."""

    def _repr_png_(self) -> bytes:
        return bytes(self)

    def __repr__(self) -> str:
        return f"<Picture of {len(self)} bytes>"


class View:
    """A replay in the browser, which notebooks show: turn it, play it, colour it.

    Attributes
    ----------
    html : str
        The page, whole: it fetches nothing.
    frames : int
        Frames in it.
    """

    LARGEST = 20_000_000
    """Bytes of a replay unless told: what most mail takes."""

    def __init__(self, html: str, frames: int) -> None:
        self.html = html
        self.frames = frames

    def __repr__(self) -> str:
        return f"<View of {self.frames} frames, {len(self.html)} bytes>"

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        style = "width: 100%; height: 560px; border: 0"
        return f'<iframe srcdoc="{page}" style="{style}" allow="fullscreen"></iframe>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, to be opened from the disk or mailed."""
        Path(path).write_text(self.html, encoding="utf-8")


def view_of(path: Path, every: int | None, largest: int) -> View:
    """The replay of a run's folder or recording."""
    frames = None if every is None else whole(every, "every", 1)
    return View(*_core.replay(path, frames, whole(largest, "largest")))


def draw(
    picture: Callable[[dict[str, Any]], bytes],
    path: str | os.PathLike[str] | None,
    **look: Any,
) -> Picture:
    """Has the engine make a picture, which also goes to a file where one is given."""
    made = Picture(picture(look_of(**look)))
    if path is not None:
        Path(path).write_bytes(made)
    return made


def look_of(
    size: tuple[int, int] = (1280, 800),
    camera: str | None = None,
    color_by: str | None = None,
    cuts: Sequence[str] | None = None,
    quality: str = "normal",
    color_range: tuple[float | None, float | None] = (None, None),
    color_log: bool = False,
) -> dict[str, Any]:
    """What a picture shows, for the engine."""
    return {
        "size": [whole(n, "size") for n in size],
        "camera": camera,
        "color_by": color_by,
        "cuts": None if cuts is None else list(cuts),
        "quality": quality,
        "color_range": list(color_range),
        "color_log": color_log,
    }
