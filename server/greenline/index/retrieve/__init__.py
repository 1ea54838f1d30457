"""Finding: what somebody asks for → the chunks that answer it, ranked, with reasons, packed for a prompt."""
