"""What the answers of commands look like: for people as lines, for programs as JSON. One module per command."""
