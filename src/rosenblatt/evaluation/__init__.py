"""How good a model is: held-out errors, the family compared on equal folds, confusion."""
