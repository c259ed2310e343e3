"""Certificates of suites, surveys and atlases."""

from __future__ import annotations

import errno
import os
import shutil
from dataclasses import replace

import numpy as np
import pytest

from canfield_env import ConfigError, Deal, Rules, configs
from canfield_env.evaluation import certificates
from canfield_env.evaluation.certificates import read_certificate, winnable_deals, write_certificate
from canfield_env.evaluation.suites import Suite
from canfield_env.evaluation.survey import Survey, read_atlas, write_atlas
from canfield_env.notation import Move
from canfield_env.solver import Verdict

WIN = Verdict("winnable", [Move("D"), Move("W", "F")], 10, 0.1)
LOSS = Verdict("unwinnable", None, 30, 0.1)
OPEN = Verdict("undecided", None, 50, 0.1, "states")


@pytest.fixture
def suite(tmp_path, monkeypatch) -> Suite:
    """The suite ``smoke`` in a folder that can be written to."""
    (tmp_path / "suites").mkdir()
    shutil.copy(configs.configs_dir() / "suites" / "smoke.toml", tmp_path / "suites")
    monkeypatch.setattr(certificates, "configs_dir", lambda: tmp_path)
    return Suite.load("smoke")


def test_a_certificate_is_read_as_it_was_written(suite):
    assert read_certificate(suite) is None
    verdicts = [(WIN, LOSS, OPEN)[k % 3] for k in range(len(suite.deals))]
    write_certificate(suite, 100, verdicts)
    found = read_certificate(suite)
    assert found is not None
    assert list(found) == [deal.code for deal in suite.deals]
    assert list(found.values())[:3] == [("winnable", 2), ("unwinnable", None), ("undecided", None)]
    assert read_certificate(Suite.of_deals([Deal.from_number(1)])) is None


def test_a_certificate_tells_of_parts_of_its_suite_and_of_nothing_else(suite):
    write_certificate(suite, 100, [(WIN, LOSS, OPEN)[k % 3] for k in range(len(suite.deals))])
    part = replace(suite, deals=suite.deals[:0:-1])
    found = read_certificate(part)
    assert found is not None
    assert list(found) == [deal.code for deal in part.deals]
    assert winnable_deals(part, found) == frozenset(suite.deals[3::3])
    assert winnable_deals(part, None) is None
    other_deals = replace(suite, deals=(*suite.deals, Deal.from_number(5)))
    for other in (suite.under("hoyle"), replace(suite, version=2), other_deals):
        assert read_certificate(other) is None


def test_a_certificate_that_cannot_be_read_is_refused(suite):
    path = write_certificate(suite, 100, [WIN] * len(suite.deals))
    path.write_text(path.read_text()[:200])
    with pytest.raises(ConfigError, match="no certificate"):
        read_certificate(suite)


def test_every_suite_that_comes_with_the_project_is_certified():
    assert all(read_certificate(Suite.load(name)) for name in configs.config_names("suites"))


def test_an_undecided_deal_counts_both_ways():
    survey = Survey.of_verdicts([WIN] * 60 + [LOSS] * 30 + [OPEN] * 10)
    assert (survey.deals, survey.winnable, survey.unwinnable, survey.undecided) == (100, 60, 30, 10)
    # Wilson's interval of 60 and of 70 in 100
    assert survey.low == pytest.approx(0.5020, abs=1e-4)
    assert survey.high == pytest.approx(0.7811, abs=1e-4)
    assert survey.states[100] == 50
    assert survey.moves == dict.fromkeys((50, 90, 95, 99, 100), 2)


def test_an_atlas_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "atlas" / "app-d3.npz"
    write_atlas(path, Rules(), 3, 1000, [WIN, LOSS, OPEN])
    verdict, states, moves = read_atlas(path)
    assert verdict.tolist() == [1, 2, 0]
    assert states.tolist() == [10, 30, 50]
    assert moves.tolist() == [2, 0, 0]
    assert verdict.dtype == np.uint8


def test_what_is_no_atlas_or_a_damaged_one_is_refused(tmp_path):
    path = tmp_path / "app-d3.npz"
    with pytest.raises(ConfigError, match="no atlas"):
        read_atlas(path)
    write_atlas(path, Rules(), 3, 1000, [WIN, LOSS, OPEN] * 100)
    whole = path.read_bytes()
    cut = [whole[:length] for length in (0, 1, 30, len(whole) // 2, len(whole) - 1)]
    middle = len(whole) // 2
    np.save(tmp_path / "array.npy", np.arange(3))
    for damaged in (
        *cut,
        b"nothing",
        whole[:middle] + bytes(20) + whole[middle + 20 :],
        (tmp_path / "array.npy").read_bytes(),
    ):
        path.write_bytes(damaged)
        with pytest.raises(ConfigError, match=r"app-d3\.npz: no atlas"):
            read_atlas(path)


def test_atlases_and_certificates_are_written_whole_or_not_at_all(tmp_path, suite, monkeypatch):
    path = tmp_path / "app-d3.npz"
    write_atlas(path, Rules(), 3, 1000, [WIN])
    certificate = write_certificate(suite, 100, [WIN] * len(suite.deals))
    before = path.read_bytes(), certificate.read_bytes()

    def no_space(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="No space left"):
        write_atlas(path, Rules(), 3, 1000, [LOSS] * 2)
    with pytest.raises(OSError, match="No space left"):
        write_certificate(suite, 200, [LOSS] * len(suite.deals))
    assert (path.read_bytes(), certificate.read_bytes()) == before
