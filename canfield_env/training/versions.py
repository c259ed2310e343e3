"""The versions that files of models and datasets are for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canfield_env.env import actions, observations
from canfield_env.errors import ConfigError


def check_versions(subject: str, table: Mapping[str, Any], format_name: str, format_version: int) -> None:
    """Checks what a file says of its versions. They come first: what else it holds may differ with them.

    Args:
        subject: the file and what it is, such as ``best.zip: the model is for``.
        table: ``format``, ``action_version`` and ``observation_version``.
        format_name: what the format is called.
        format_version: the version of it that can be read.

    Raises:
        ConfigError: one is another than here; the text names both.
    """
    for key, what, here in (
        ("format", format_name, format_version),
        ("action_version", "actions", actions.VERSION),
        ("observation_version", "observations", observations.VERSION),
    ):
        if table.get(key) != here:
            raise ConfigError(f"{subject} version {table.get(key)} of the {what}, this is version {here}")
