"""A simulator of KEDA, the HPA and a work queue."""
