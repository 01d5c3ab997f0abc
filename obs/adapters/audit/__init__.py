"""The audit: a whole fleet judged through a Prometheus server, without touching a pod."""
