"""Language models behind one Protocol."""
