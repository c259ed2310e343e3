"""Model files: a network's weights and what they were trained for. Reading one executes nothing out of it.

A model file is a zip archive of

* ``model.json``: the format's version, the action and observation versions, the environment's options, the network's
  configuration, and where the model comes from;
* ``network.safetensors``: the weights;
* ``training.json``, ``training.safetensors``: what training goes on from; only in a run's ``last.zip``.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from canfield_env.configs import first_fault
from canfield_env.env import actions, observations
from canfield_env.env.options import Stock
from canfield_env.errors import ConfigError
from canfield_env.files import whole_file
from canfield_env.rules import Rules
from canfield_env.training.config import CardNetworkSection, NetworkSection, Rewards, RunConfig, Share, check_foresight
from canfield_env.training.network import CardNetwork, Network, make_network
from canfield_env.training.versions import check_versions

#: Version of the file format.
FORMAT: Final = 1
#: What a model is for: it plays; or its value tells what the ends of the planner's plans are worth.
Purpose = Literal["playing", "judging plans"]
#: A number for each number of cards in the reserve, 0 to 13. JSON has a list.
ByCards = Annotated[tuple[float, ...], Field(min_length=14, max_length=14, strict=False)]
_HEADER, _WEIGHTS = "model.json", "network.safetensors"
_TRAINING, _TENSORS = "training.json", "training.safetensors"


class Evidence(BaseModel):
    """What the orders won after a plan say of the game, for a network whose value is what it knows beyond that.

    With ``n`` cards in the reserve the log-odds of a win are ``slopes[n]`` times the log-odds of the share won, and
    ``offsets[n]``, and the network's value.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    slopes: ByCards
    offsets: ByCards


class Header(BaseModel):
    """What a model was trained for.

    Attributes:
        rules: the rule set, as its differences from the default one.
        draw: cards a turn of the stock brings.
        stock: the environment's ``stock`` option.
        network: the network's configuration.
        origin: where the model comes from, for people: run, steps, seed, versions, results.
        rewards, discount: what the value of a model that plays is the discounted sum of, where that is known.
        evidence: for a model that judges plans; None for one that plays.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    format: int = FORMAT
    action_version: int = actions.VERSION
    observation_version: int = observations.VERSION
    rules: dict[str, Any]
    draw: Literal[1, 3]
    stock: Stock
    network: NetworkSection
    origin: dict[str, Any] = Field(default_factory=dict)
    rewards: Rewards | None = None
    discount: Share | None = None
    evidence: Evidence | None = None

    @property
    def purpose(self) -> Purpose:
        """What the model is for."""
        return "playing" if self.evidence is None else "judging plans"

    @classmethod
    def of_run(cls, config: RunConfig, **origin: Any) -> Header:
        """The header of a model that a run trains; ``origin`` is what there is to say beyond its configuration."""
        options, evaluation = config.env.options(), config.evaluation
        about = {"seed": config.run.seed, "suite": evaluation.suite, "deals": evaluation.deals}
        return cls(
            rules=options.rules.to_dict(),
            draw=config.env.draw,
            stock=options.stock,
            network=config.network,
            origin=about | origin,
            rewards=Rewards(**config.env.model_dump(include=set(Rewards.model_fields))),
            discount=config.discount,
        )

    def check_game(self, rules: Rules, draw: int) -> None:
        """Checks that the model was trained for a game.

        Raises:
            ConfigError: it was trained for another one; the text names both.
        """
        trained = Rules.from_dict(self.rules)
        if (trained, self.draw) != (rules, draw):
            there, here = _game_name(trained, self.draw), _game_name(rules, draw)
            raise ConfigError(f"the model was trained for {there}, not for {here}")


def _game_name(rules: Rules, draw: int) -> str:
    return f"{rules.name or rules} with draw {draw}"


@dataclass(frozen=True)
class TrainingState:
    """What training goes on from.

    Attributes:
        facts: numbers and texts, as JSON has them.
        tensors: everything else.
    """

    facts: Mapping[str, Any]
    tensors: Mapping[str, Tensor]


def save_model(path: Path, header: Header, network: Network, training: TrainingState | None = None) -> None:
    """Writes a model file, as a whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    parts = {_HEADER: _json(header.model_dump()), _WEIGHTS: save(network.state_dict())}
    if training is not None:
        parts |= {_TRAINING: _json(training.facts), _TENSORS: save(dict(training.tensors))}
    with whole_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def load_model(path: str | Path, purpose: Purpose = "playing") -> tuple[Header, Network]:
    """Reads a model.

    Args:
        path: the file.
        purpose: what it is to be used for.

    Returns:
        What it was trained for, and the network, ready to play.

    Raises:
        ConfigError: the file cannot be read, is no model, is damaged, or is for another version of the actions, the
            observations or the format; the text names both versions. Or it is for another purpose.
    """
    parts = _read(path, _HEADER, _WEIGHTS)
    header = _read_header(path, parts[_HEADER])
    if header.purpose != purpose:
        raise ConfigError(f"{path}: the model is for {header.purpose}, not for {purpose}")
    try:
        check_foresight(header.network, Rules.from_dict(header.rules), header.stock)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error
    network = make_network(header.network)
    try:
        network.load_state_dict(load(parts[_WEIGHTS]))
    except (SafetensorError, RuntimeError) as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(f"{path}: the weights do not fit the network that the model names: {reason}") from None
    return header, network.eval()


def read_header(path: str | Path) -> Header:
    """Reads what a model was trained for.

    Raises:
        ConfigError: see ``load_model``.
    """
    return _read_header(path, _read(path, _HEADER)[_HEADER])


def fingerprint(path: str | Path) -> str:
    """The SHA-256 of a model file, in hexadecimal: what tells it from one that takes its place later.

    Raises:
        ConfigError: the file cannot be read.
    """
    try:
        return sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None


def load_like(path: str | Path, section: NetworkSection) -> Network:
    """Reads a model's network, which must be as a configuration has it, or be without its ``ahead`` or ``afterstates``.

    Without ``afterstates``, where moves lead is judged by the model's value at first.

    Raises:
        ConfigError: it is another one; or its value is needed, and it does not say of what that is, or that is not the
            foundation reward; or see ``load_model``.
    """
    header, network = load_model(path)
    old = header.network
    if old == section:
        return network
    if isinstance(section, CardNetworkSection) and isinstance(old, CardNetworkSection):
        added = [key for key in ("ahead", "afterstates") if getattr(section, key) and not getattr(old, key)]
        if old == section.model_copy(update=dict.fromkeys(added, False)):
            grown = CardNetwork(**section.model_dump(exclude={"kind"}))
            grown.load_state_dict(network.state_dict(), strict=False)
            if "afterstates" in added:
                grown.follow_value(*_value_of(path, header))
            return grown
    raise ConfigError(f"{path}: the model's network is {old}, the configuration's {section}")


def _value_of(path: str | Path, header: Header) -> tuple[Rewards, float]:
    """The rewards and the discount of the value that afterstates are judged by."""
    if header.rewards is None or header.discount is None:
        raise ConfigError(f"{path}: the model does not say what its value is of, so it cannot judge afterstates")
    if header.rewards.reward != "foundation":
        kind = header.rewards.reward
        raise ConfigError(f"{path}: the model's value is of the {kind} reward, not of foundation, as for afterstates")
    return header.rewards, header.discount


def load_training(path: str | Path) -> TrainingState:
    """Reads what training goes on from.

    Raises:
        ConfigError: the file cannot be read, or holds no such thing.
    """
    parts = _read(path, _TRAINING, _TENSORS)
    try:
        return TrainingState(orjson.loads(parts[_TRAINING]), load(parts[_TENSORS]))
    except (orjson.JSONDecodeError, SafetensorError) as error:
        raise ConfigError(f"{path}: damaged: {error}") from None


def _json(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2)


def _read(path: str | Path, *names: str) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(path) as file:
            return {name: file.read(name) for name in names}
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
    except KeyError:
        raise ConfigError(f"{path}: no model file of this project: {' or '.join(names)} is not in it") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ConfigError(f"{path}: no model file, or a damaged one: {error}") from None


def _read_header(path: str | Path, content: bytes) -> Header:
    try:
        table = orjson.loads(content)
        if not isinstance(table, dict):
            raise ConfigError(f"{path}: {_HEADER} is not a JSON object")
        check_versions(f"{path}: the model is for", table, "model file format", FORMAT)
        return Header.model_validate(table)
    except orjson.JSONDecodeError as error:
        raise ConfigError(f"{path}: {_HEADER} is not JSON: {error}") from None
    except ValidationError as error:
        raise ConfigError(f"{path}: {_HEADER}: {first_fault(error).text}") from None
