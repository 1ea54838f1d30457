"""The model-free engine: fault localisation, mutation operators, search."""
