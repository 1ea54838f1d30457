"""The front end that speaks the Language Server Protocol; the only importer of pygls and lsprotocol."""
