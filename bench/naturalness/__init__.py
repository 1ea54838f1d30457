"""How the weights of `greenline.mutation.natural` are made."""
