"""Plays agents over a suite: ``canfield evaluate`` for those who work in the checkout. ``--help`` tells the options."""

import sys

from canfield_env.cli import main

if __name__ == "__main__":
    main(["evaluate", *sys.argv[1:]])
