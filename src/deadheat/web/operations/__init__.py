"""What keeps a server running and shows how it is: work in the background, metrics, health, logs."""
