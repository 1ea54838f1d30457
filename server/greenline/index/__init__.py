"""The live index: what the workspace holds, kept in one file that can be rebuilt at any time."""
