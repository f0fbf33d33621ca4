"""What a clone of the code tells about a race; reads git and source, imports the core only."""
