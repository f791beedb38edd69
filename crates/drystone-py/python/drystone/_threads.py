"""How many threads the engine works on."""

from __future__ import annotations

from . import _core


def set_threads(count: int | None = None) -> None:
    """Set the number of threads that everything runs on from now on. Results do not depend on it.

    Parameters
    ----------
    count : int, optional
        From 1 to 1024; one per core unless given.

    Examples
    --------
    >>> import drystone as ds
    >>> ds.set_threads(1)
    >>> ds.threads()
    1
    >>> ds.set_threads()
    """
    _core.set_threads(count)


def threads() -> int:
    """The number of threads that everything runs on.

    Examples
    --------
    >>> import drystone as ds
    >>> ds.threads() >= 1
    True
    """
    return _core.threads()
