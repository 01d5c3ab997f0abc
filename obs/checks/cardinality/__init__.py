"""How many series a target makes, and what will make more of them."""
