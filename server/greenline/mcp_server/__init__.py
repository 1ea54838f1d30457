"""The core as tools for other agents, over the Model Context Protocol."""
