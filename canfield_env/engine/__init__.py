"""The compiled engine: the rules of ``canfield_env.game`` over rows of bytes, at millions of steps a second."""
