"""What a clone of the repository tells about a race; ring 1: reads git and source, imports ring 0 only."""
