"""The LSP front end: the only importer of pygls and lsprotocol."""
