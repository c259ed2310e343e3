"""The agents of this repository. They are not part of the installed package; ``registry.py`` has their names."""
