"""The perfect-information solver: which games can be won, with proof. How it works: ``docs/solver.md``."""

from canfield_env.solver.api import Solver, Verdict, solve
from canfield_env.solver.many import solve_many

__all__ = ["Solver", "Verdict", "solve", "solve_many"]
