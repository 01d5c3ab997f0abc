"""What a board needs to be looked at without Grafana: its questions to Prometheus, and the answers in order."""
