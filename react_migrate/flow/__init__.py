"""What may this expression be? Origins of values, across functions and files."""
