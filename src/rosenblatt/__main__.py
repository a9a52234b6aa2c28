"""`python -m rosenblatt` is the command `rosenblatt`."""

from rosenblatt.cli.app import main

main()
