"""The declarative sources people edit (obs.yaml, dashboards/, alerts/) as typed values."""
