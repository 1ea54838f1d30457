"""The core as an agent of the Agent Client Protocol, version 1."""
