"""Training tests run torch on one thread, as training does: on busy cores more of them only wait for each other."""

import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def _one_thread():
    torch.set_num_threads(1)
