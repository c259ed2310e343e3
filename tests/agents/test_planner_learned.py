"""The planner guided by a network: what the network sees, what it decides, and which models are refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agents.planner.agent import from_argument
from agents.planner.ends import log_odds, read_state
from agents.planner.learned import LearnedPlannerAgent
from agents.shipped import MODELS, shipped_models
from canfield_env import ConfigError, Deal, Rules
from canfield_env.cli import main
from canfield_env.env.single import CanfieldEnv
from canfield_env.evaluation.episode import make_env, play_episode
from canfield_env.evaluation.protocol import Trained
from canfield_env.evaluation.specs import load_agent
from canfield_env.solver.state import board_of, pack, pass_position
from canfield_env.training.config import CardNetworkSection
from canfield_env.training.model_file import Evidence, Header, fingerprint, load_model, save_model
from canfield_env.training.network import make_network
from tests.agents.exchanging import check_decisions

SETTINGS = "orders=6,states=100,last=1000,plans=12,explore=500"
APP = Rules.of("app")


def write_model(path, evidence=Evidence(slopes=(1.0,) * 14, offsets=(0.0,) * 14), draw=3):  # noqa: B008 - frozen
    """A network with large random values, so that it decides wherever it may."""
    torch.manual_seed(3)
    section = CardNetworkSection(width=8, table_width=8)
    network = make_network(section)
    torch.nn.init.normal_(network.get_parameter("outlook.1.weight"), std=100.0)
    header = Header(rules=APP.to_dict(), draw=draw, stock="auto", network=section, evidence=evidence)
    save_model(path, header, network)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("models") / "plans.zip")


@pytest.fixture
def agent(model):
    return from_argument(f"{SETTINGS},model={model}")


def test_a_state_reads_as_the_player_sees_it():
    """Against the environment's observation, with all that a state does not hold taken out."""
    env = CanfieldEnv(APP, stock="auto", observation="tokens", illegal="raise")
    rng = np.random.default_rng(0)
    compared = 0
    for number in range(20):
        tokens, info = env.reset(options={"deal": Deal.from_number(2**20 + number, 3)})
        while "outcome" not in info:
            position, read = env.game.full_position(), np.zeros(62, np.uint8)
            read_state(*pack(position, env.game.rules, 3), board_of(position, env.game.rules, 3), read)
            expected = tokens.copy()
            expected[:52][expected[:52] == 2] = 0  # the reserve's top card is the one that is about to be seen
            expected[53] += expected[54]
            expected[54] = pass_position(int(expected[54]), int(expected[53]), 3)
            expected[53] -= expected[54]
            expected[57] = 0
            expected[58:62] = [(expected[13 * suit : 13 * suit + 13] == 1).sum() for suit in range(4)]
            assert np.array_equal(sort_columns(read), sort_columns(expected))
            compared += 1
            tokens, _, _, _, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
    assert compared > 200


def sort_columns(tokens: np.ndarray) -> list[int]:
    """The observation with its columns in the order of their first cards."""
    cards: list[int] = tokens[:52].tolist()
    counts: list[int] = tokens[52:].tolist()
    roots = [token for token in cards if token >= 48 and (token - 48) % 52 == 0]
    order = {root: 48 + 52 * k for k, root in enumerate(roots)}
    sorted_cards = [
        order[(token - 48) // 52 * 52 + 48] + (token - 48) % 52 if token >= 48 else token for token in cards
    ]
    return sorted_cards + counts


def test_log_odds_are_finite_and_the_larger_the_more_orders_agree():
    assert log_odds(np.array([0.0, 0.5, 1.0]), 6) == pytest.approx([-np.log(13), 0, np.log(13)])
    assert log_odds(np.array([1.0]), 36) == pytest.approx([np.log(73)])


def test_unseen_cards_exchanged_at_any_time_change_no_decision(agent, model):
    other = from_argument(f"{SETTINGS},model={model}")
    assert sum(check_decisions(agent, other, Deal.from_number(2**20 + number, 3)) for number in (3, 5)) > 6


def test_plays_alike_each_time_and_otherwise_than_without_the_model(agent):
    plain = from_argument(SETTINGS)
    deals = [Deal.from_number(2**20 + number, 3) for number in range(3)]
    first, again, without = (
        [play_episode(player, make_env(player, APP), deal).moves for deal in deals] for player in (agent, agent, plain)
    )
    assert first == again != without


def test_with_two_hidden_cards_the_orders_alone_decide(agent):
    """All is known then once the next card is seen; with more cards the network has its way."""
    plain = from_argument(SETTINGS)
    env = make_env(plain, APP)
    alike: dict[int, list[bool]] = {2: [], 8: []}
    for number in range(12):
        observation, info = env.reset(options={"deal": Deal.from_number(2**20 + number, 3)})
        plain.reset(0)
        while "outcome" not in info:
            view = env.player_view()
            if not plain._actions and len(view.unseen) in alike:
                agent.reset(0)
                agent.act(observation, info["action_mask"], view)
                plain.act(observation, info["action_mask"], view)
                alike[len(view.unseen)].append(agent._actions == plain._actions)
                plain.reset(0)
            observation, _, _, _, info = env.step(plain.act(observation, info["action_mask"], view))
    assert len(alike[2]) > 5
    assert all(alike[2])
    assert not all(alike[8])


def test_the_shipped_model_plays_by_its_name():
    agent = load_agent("planner:learned")
    record = play_episode(agent, make_env(agent, APP), Deal.from_number(2**20 + 3, 3))
    assert (agent.name, record.outcome) == ("planner:learned", "won")
    assert isinstance(agent, Trained)
    assert agent.fingerprint == fingerprint(MODELS / "plan-d3.zip")


def test_is_named_with_its_model(model):
    assert load_agent(f"planner:learned,model={model}").name == f"planner:learned,model={model}"


def test_the_command_line_plays_it(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["evaluate", "--agent", "planner:learned", "--deals", "CF1-D3-AAAAACL"])
    assert caught.value.code == 0
    assert "planner:learned" in capsys.readouterr().out


@pytest.mark.parametrize("game", [["--deals", "CF1-D1-AAAAACL"], ["--deals", "CF1-D3-AAAAACL", "--rules", "hoyle"]])
def test_the_command_line_refuses_another_game(capsys, game):
    with pytest.raises(SystemExit) as caught:
        main(["evaluate", "--agent", "planner:learned", *game])
    assert caught.value.code == 2
    assert "the model was trained for app with draw 3, not for" in " ".join(capsys.readouterr().err.split())


def test_a_model_for_another_game_is_refused(agent, tmp_path):
    agent.check_game(APP, 3)
    with pytest.raises(ConfigError, match="trained for app with draw 3, not for app with draw 1"):
        agent.check_game(APP, 1)
    easy = from_argument(f"learned,model={write_model(tmp_path / 'm.zip', draw=1)}")
    assert isinstance(easy, LearnedPlannerAgent)
    with pytest.raises(ConfigError, match="trained for app with draw 1, not for hoyle with draw 3"):
        easy.check_game(Rules.of("hoyle"), 3)


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 and no more"])
def test_a_file_that_is_no_model_is_refused(content, tmp_path):
    path = tmp_path / "m.zip"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"m\.zip"):
        from_argument(f"learned,model={path}")


def test_models_for_playing_and_for_judging_are_not_taken_for_each_other(model, tmp_path):
    player = write_model(tmp_path / "m.zip", evidence=None)
    with pytest.raises(ConfigError, match=r"m\.zip: the model is for playing, not for judging plans"):
        from_argument(f"learned,model={player}")
    with pytest.raises(ConfigError, match="the model is for judging plans, not for playing"):
        load_agent(f"ppo:{model}")
    with pytest.raises(ConfigError, match="the model is for judging plans, not for playing"):
        load_agent("ppo:plan-d3")


def test_only_models_for_the_purpose_are_offered():
    assert shipped_models("judging plans") == ["plan-d3"]
    known = "d1, d1-direct, d1-small, d3, d3-direct, d3-small"
    with pytest.raises(ConfigError, match=f"no model is called 'd2': there are {known}"):
        load_agent("ppo:d2")
    with pytest.raises(ConfigError, match="no model is called 'd3-plan': there are plan-d3, or give a file"):
        load_agent("planner:learned,model=d3-plan")


def test_what_the_orders_say_is_read_back(model):
    assert load_model(model, "judging plans")[0].evidence == Evidence(slopes=(1.0,) * 14, offsets=(0.0,) * 14)
    evidence = load_model(MODELS / "plan-d3.zip", "judging plans")[0].evidence
    assert evidence is not None
    assert min(evidence.slopes[2:13]) > 0
