"""Embedders: built in, from a model2vec folder, or none; those behind an API are injected."""
