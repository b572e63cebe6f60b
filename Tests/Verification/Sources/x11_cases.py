"""Cases beside the drags: many windows, servers that fail, refuse or lack something, turned screens."""
CASES = []
