"""A synthetic fleet: a seeded workload model whose exposition follows the registry, and mutants that break one rule."""
