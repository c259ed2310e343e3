"""Model files: written whole, read without executing anything, and refused by version, damage and kind."""

import json
import pickle
import zipfile

import pytest
import torch

from canfield_env.errors import ConfigError
from canfield_env.training.config import CardNetworkSection, FlatNetworkSection
from canfield_env.training.model_file import Header, TrainingState, load_model, load_training, save_model
from canfield_env.training.network import make_network
from tests.training.training_helpers import positions


def header(network=CardNetworkSection(width=8), **changes):  # noqa: B008 - it is frozen
    return Header(rules={}, draw=3, stock="auto", network=network, **changes)


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.zip"
    torch.manual_seed(1)
    save_model(path, header(), make_network(header().network))
    return path


def rewrite(path, **parts):
    """Replaces members of a model file; None leaves one out."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    members |= {name.replace("_", "."): content for name, content in parts.items()}
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members.items():
            if content is not None:
                file.writestr(name, content)


def rewrite_header(path, **changes):
    with zipfile.ZipFile(path) as file:
        table = json.loads(file.read("model.json"))
    rewrite(path, model_json=json.dumps(table | changes).encode())


@pytest.mark.parametrize("section", [CardNetworkSection(width=8), FlatNetworkSection(kind="flat", width=8)])
def test_a_model_is_read_back_as_it_was_written(tmp_path, section):
    torch.manual_seed(1)
    network = make_network(section)
    origin = {"steps": 7, "best": [0.5, 20.0]}
    save_model(tmp_path / "m.zip", header(network=section, origin=origin), network)
    read, copy = load_model(tmp_path / "m.zip")
    assert (read.draw, read.stock, read.network, read.origin) == (3, "auto", section, origin)
    tokens, masks = map(torch.from_numpy, positions(5, stock="auto"))
    torch.testing.assert_close(copy(tokens, masks), network(tokens, masks))


def test_training_state_is_read_back(tmp_path):
    state = TrainingState({"steps": 7, "best": None}, {"a b": torch.arange(3), "c": torch.tensor(2.5)})
    save_model(tmp_path / "m.zip", header(), make_network(header().network), state)
    read = load_training(tmp_path / "m.zip")
    assert read.facts == state.facts
    assert {name: tensor.tolist() for name, tensor in read.tensors.items()} == {"a b": [0, 1, 2], "c": 2.5}


def test_a_best_model_has_nothing_to_go_on_from(model):
    with pytest.raises(ConfigError, match=r"model\.zip: no model file of this project: training\.json"):
        load_training(model)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"action_version": 2}, "the model is for version 2 of the actions, this is version 1"),
        ({"observation_version": 0}, "the model is for version 0 of the observations, this is version 1"),
        ({"format": 9}, "the model is for version 9 of the model file format, this is version 1"),
        ({"draw": 2}, "model.json: draw: Input should be 1 or 3"),
        ({"colour": "red"}, "model.json: unknown key 'colour'"),
        ({"network": {"kind": "cards", "width": 9}}, "the weights do not fit the network that the model names"),
        ({"network": {"kind": "flat", "width": 8}}, "the weights do not fit the network that the model names"),
        ({"network": {"kind": "deep"}}, "model.json: network"),
    ],
)
def test_a_model_for_something_else_is_refused(model, changes, fault):
    rewrite_header(model, **changes)
    with pytest.raises(ConfigError) as caught:
        load_model(model)
    assert str(caught.value).startswith(str(model))
    assert fault in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("model_json", b"{", "model.json is not JSON"),
        ("model_json", b"[]", "model.json is not a JSON object"),
        ("model_json", None, "no model file of this project: model.json"),
        ("network_safetensors", b"rubbish", "the weights do not fit the network"),
        ("network_safetensors", None, "no model file of this project"),
    ],
)
def test_a_model_with_a_bad_member_is_refused(model, name, content, fault):
    rewrite(model, **{name: content})
    with pytest.raises(ConfigError, match=r"model\.zip: ") as caught:
        load_model(model)
    assert fault in str(caught.value)


class Bomb:
    def __reduce__(self):
        return exec, ("raise SystemExit('executed')",)


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 nor this", pickle.dumps(Bomb())])
def test_a_file_that_is_no_model_is_refused_and_not_executed(tmp_path, content):
    path = tmp_path / "m.zip"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"m\.zip: no model file"):
        load_model(path)


def test_a_pickle_inside_is_not_executed(model):
    rewrite(model, network_safetensors=pickle.dumps(Bomb()))
    with pytest.raises(ConfigError, match="the weights do not fit"):
        load_model(model)


def test_a_damaged_file_is_refused(model):
    content = bytearray(model.read_bytes())
    content[len(content) // 2] ^= 0xFF
    model.write_bytes(content)
    with pytest.raises(ConfigError, match=r"model\.zip: "):
        load_model(model)
    model.write_bytes(content[: len(content) // 2])
    with pytest.raises(ConfigError, match=r"model\.zip: no model file"):
        load_model(model)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.zip: cannot be read: No such file"):
        load_model(tmp_path / "none.zip")
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load_model(tmp_path)


def test_nothing_is_half_written(model, monkeypatch):
    before = model.read_bytes()
    monkeypatch.setattr(zipfile.ZipFile, "writestr", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        save_model(model, header(), make_network(header().network))
    assert model.read_bytes() == before
