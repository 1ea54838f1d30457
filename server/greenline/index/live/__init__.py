"""What keeps the index live: one writer a workspace, watched folders, and searches beside them."""
