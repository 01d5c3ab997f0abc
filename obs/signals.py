"""One signal, one expression: how a metric is queried is decided here, for boards, rules and scalers."""
