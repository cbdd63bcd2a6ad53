"""What we sell, and how it is found."""
