"""The file gate, secrets and other refusals."""
