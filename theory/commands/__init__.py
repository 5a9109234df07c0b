"""The commands of the command line, one file each: read arguments, call the library, print."""
