"""What a model may call, one file a tool."""
