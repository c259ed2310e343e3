"""``python -m canfield_env`` is the command line ``canfield``."""

from canfield_env.cli import main

if __name__ == "__main__":
    main()
