"""``python -m theory`` is the command ``theory``."""

from theory.cli import main

if __name__ == "__main__":
    main()
