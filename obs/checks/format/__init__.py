"""The format of a body: what the parser diagnoses, one file a diagnosis."""
