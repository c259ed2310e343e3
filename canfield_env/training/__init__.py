"""Agents that learn: networks, PPO, model files and training runs. Only this package and its callers load torch."""
