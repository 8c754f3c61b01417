"""`python -m react_migrate`."""

from react_migrate.cli import main

main()
