"""Pictures and replays."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from . import _core
from ._checks import real, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Picture(bytes):
    """The bytes of a PNG file, which notebooks show.

    Examples
    --------
    >>> import drystone as ds
    >>> picture = ds.load("stack").picture(size=(80, 50), quality="sketch")
    >>> isinstance(picture, bytes)
    True
    """

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

    Examples
    --------
    >>> import drystone as ds
    >>> ds.load("stack").view().html[:15]
    '<!doctype html>'
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
        """Write the page, to be opened from the disk or mailed.

        Examples
        --------
        >>> import drystone as ds, tempfile
        >>> ds.load("stack").view().save(tempfile.mkdtemp() + "/stack.html")
        """
        Path(path).write_text(self.html, encoding="utf-8")


def view_of(path: Path, every: int | None, largest: int) -> View:
    """The replay of a run's folder or recording."""
    frames = None if every is None else whole(every, "every", 1)
    return View(*_core.replay(path, frames, whole(largest, "largest")))


class Look(TypedDict, total=False):
    """How a picture is made: the keywords of :meth:`Simulation.picture`."""

    size: tuple[int, int]
    camera: str | None
    color_by: str | None
    cuts: Sequence[str] | None
    quality: str
    color_range: tuple[float | None, float | None]
    color_log: bool


def draw(
    picture: Callable[[dict[str, Any]], bytes],
    path: str | os.PathLike[str] | None,
    **look: Unpack[Look],
) -> Picture:
    """Has the engine make a picture, which also goes to a file where one is given."""
    for key in look:
        if key not in Look.__annotations__:
            known = ", ".join(Look.__annotations__)
            raise TypeError(f"picture: there is no keyword {key!r}, only {known}")
    size, span = look.get("size", (1280, 800)), look.get("color_range", (None, None))
    cuts = look.get("cuts")
    asked = {
        "size": [whole(n, "size") for n in _two(size, "size")],
        "camera": look.get("camera"),
        "color_by": look.get("color_by"),
        "cuts": [cuts] if isinstance(cuts, str) else cuts and list(cuts),
        "quality": look.get("quality", "normal"),
        "color_range": [n if n is None else real(n, "color_range") for n in _two(span, "color_range")],
        "color_log": look.get("color_log", False),
    }
    made = Picture(picture(asked))
    if path is not None:
        Path(path).write_bytes(made)
    return made


def _two(given: Any, what: str) -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Iterable) or len(two := list(given)) != 2:
        raise ValueError(f"{what}: {given!r} is not a pair of numbers")
    return two
