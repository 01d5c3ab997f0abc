"""`python -m obs` is `obs`."""

from obs.cli.main import main

if __name__ == "__main__":
    main()
