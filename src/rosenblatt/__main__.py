"""`python -m rosenblatt` is the command `rosenblatt`."""

from rosenblatt.cli import main

main()
