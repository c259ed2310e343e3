"""The perfect-information solver: which games can be won, with proof. How it works: ``docs/solver.md``."""

from canfield_env.solver.api import Solver, Verdict, solve

__all__ = ["Solver", "Verdict", "solve"]
