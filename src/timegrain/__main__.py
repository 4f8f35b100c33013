"""`python -m timegrain` is the `timegrain` command."""

from timegrain.cli.main import main

if __name__ == "__main__":
    main()
