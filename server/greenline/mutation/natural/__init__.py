"""How natural a piece of code looks, measured against code that people have published."""
