"""The progress line in a terminal or a notebook."""

from __future__ import annotations

import shutil
import sys
from typing import Callable, Optional


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def _in_terminal(line: str) -> None:
    width = shutil.get_terminal_size().columns - 1
    sys.stderr.write("\r\x1b[K" + line[:width])
    sys.stderr.flush()


class _Display:
    """A line of a notebook that is updated in place."""

    def __init__(self) -> None:
        self.handle = None

    def __call__(self, line: str) -> None:
        from IPython.display import display

        if self.handle is None:
            self.handle = display({"text/plain": line}, raw=True, display_id=True)
        else:
            self.handle.update({"text/plain": line}, raw=True)


def shower(progress: "bool | Callable[[str], None] | None") -> Optional[Callable[[str], None]]:
    """Return a function to call with each new line (an empty one at the end), or None to show none."""
    if callable(progress):
        return progress
    if progress is False:
        return None
    if _in_notebook():
        return _Display()
    if sys.stderr is not None and sys.stderr.isatty():
        return _in_terminal
    return _in_terminal if progress else None
