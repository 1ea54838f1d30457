"""Values, errors and ports that every other package may import; imports nothing of ours."""
