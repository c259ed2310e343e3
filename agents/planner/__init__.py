"""``planner``: searches over the orders that the hidden cards may have."""
