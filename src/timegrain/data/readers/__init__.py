"""One reader a file format, chosen by the file's extension."""
