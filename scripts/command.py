"""How the scripts run their command lines: bad input is one line on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer


def run_script(command: typer.Typer | Callable[..., Any], stopped: str = "stopped") -> int:
    """Runs the command line of the process.

    Args:
        command: the script's commands, or its only one.
        stopped: what is said on Ctrl-C.

    Returns:
        The exit status: 2 after bad input and 130 after Ctrl-C, each told in one line; else what the command asked for.
    """
    if isinstance(command, typer.Typer):
        app = command
    else:
        app = typer.Typer(add_completion=False)
        app.command()(command)
    try:
        return int(app(standalone_mode=False) or 0)
    except KeyboardInterrupt:
        fault, status = stopped, 130
    except typer.TyperException as error:
        fault, status = error.format_message(), 2
    except (ValueError, OSError) as error:
        fault, status = str(error), 2
    print(f"{Path(sys.argv[0]).name}: {' '.join(fault.split())}", file=sys.stderr)
    return status
