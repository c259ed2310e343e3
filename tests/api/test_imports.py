"""The house's one direction: who may import whom, and what ``import canfield_env`` brings along."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: From the ground up. A part imports from storeys below its own only; ``canfield_env`` is the package's front door.
STOREYS: tuple[tuple[str, ...], ...] = (
    ("canfield_env.errors",),
    ("canfield_env.cards", "canfield_env.configs", "canfield_env.files"),
    ("canfield_env.rules",),
    ("canfield_env.deals",),
    ("canfield_env.notation",),
    ("canfield_env.view",),
    ("canfield_env.game",),
    ("canfield_env",),
    ("canfield_env.records", "canfield_env.perft"),
    ("canfield_env.engine", "canfield_env.render"),
    ("canfield_env.solver", "canfield_env.env"),
    ("canfield_env.evaluation",),
    ("canfield_env.training", "canfield_env.play"),
    ("canfield_env.cli",),
    ("canfield_env.__main__",),
)
STOREY = {part: height for height, parts in enumerate(STOREYS) for part in parts}
#: What is asked for further up, and only when it is needed: pictures for a notebook, and whether a deal can be won.
ASKED_FOR = {
    "canfield_env.game": {"canfield_env.render"},
    "canfield_env.deals": {"canfield_env.render", "canfield_env.solver"},
}
#: The agents live in the checkout: they may use all of the package but what stands at the terminal.
AGENTS_MAY_USE = {
    part for part in STOREY if part not in ("canfield_env.cli", "canfield_env.__main__", "canfield_env.play")
}


def part_of(module: str) -> str:
    """The part of the house that a module or a name imported from it belongs to."""
    parts = ".".join(module.split(".")[:2])
    return parts if parts in STOREY else parts.split(".")[0]


def imported(path: Path) -> Iterator[str]:
    """Every module that a file imports anywhere in it, with the name taken from it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def sources(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def test_every_part_has_its_storey() -> None:
    parts = {
        f"canfield_env.{path.stem}"
        for path in (ROOT / "canfield_env").iterdir()
        if path.suffix == ".py" or path.is_dir()
    }
    assert parts - {"canfield_env.__init__", "canfield_env.__pycache__", "canfield_env._configs"} <= set(STOREY)


@pytest.mark.parametrize("path", sources("canfield_env"), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_downwards(path: Path) -> None:
    own = part_of(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    used = {part_of(name) for name in imported(path) if name.split(".")[0] in ("canfield_env", "agents")} - {own}
    used -= ASKED_FOR.get(own, set())
    assert "agents" not in used, "the package does not know the agents of the checkout"
    assert {part for part in used if STOREY[part] >= STOREY[own]} == set()


@pytest.mark.parametrize("path", sources("agents"), ids=lambda path: str(path.relative_to(ROOT)))
def test_agents_stand_on_the_package(path: Path) -> None:
    used = {part_of(name) for name in imported(path) if name.split(".")[0] == "canfield_env"}
    assert used <= AGENTS_MAY_USE


def test_import_loads_nothing_heavy() -> None:
    heavy = {
        "matplotlib", "numba", "optuna", "pandas", "PIL", "pydantic", "ray", "rich", "sb3_contrib", "scipy",
        "stable_baselines3", "tensorboard", "textual", "torch", "tqdm", "typer",
    }  # fmt: skip
    command = "import canfield_env, sys; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "canfield_env" in loaded.stdout.split()
    assert heavy & set(loaded.stdout.split()) == set()
