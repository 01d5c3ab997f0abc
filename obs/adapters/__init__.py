"""All input and output: files, HTTP, clocks, threads."""
