"""Small errors put into a copy of the code, to see that some test notices each."""
