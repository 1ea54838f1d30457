"""A worker process beside the front: its pipes, its life, and requests over lines of JSON."""
