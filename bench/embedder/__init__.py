"""How the built-in embedder was trained; needs torch, which nothing else here does."""
