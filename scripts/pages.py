"""What the scripts that write pages have in common: tables in a page, and plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def with_tables(text: str, tables: Mapping[str, Callable[[], str]]) -> str:
    """A page with some tables made anew; each stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``.

    Raises:
        ValueError: the page has no place for one of them.
    """
    for name, table in tables.items():
        begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
        if begin not in text or end not in text:
            raise ValueError(f"the page has no place for the table {name!r}")
        before, rest = text.split(begin, 1)
        text = f"{before}{begin}{table()}\n{end}{rest.split(end, 1)[1]}"
    return text


def new_figure() -> tuple[Any, Any]:
    """A figure and its axes, which are the same picture each time that they are drawn."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "canfield"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 4.5), layout="constrained")
    axes.set_prop_cycle(color=[matplotlib.colormaps["tab20"](number) for number in range(20)])
    return figure, axes


def name_beside(figure: Any) -> None:
    """Names what is drawn beside the axes, where it hides nothing."""
    figure.legend(loc="outside right upper")


def save_figure(figure: Any, path: Path) -> None:
    """Writes a figure, and lets go of it."""
    from matplotlib import pyplot

    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
