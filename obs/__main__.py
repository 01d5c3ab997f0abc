"""`python -m obs` is `obs`."""

from obs.cli.entry import main

if __name__ == "__main__":
    main()
