"""Playing agents over fixed sets of deals, and what comes of it: protocol, suites, runner, statistics, report."""
