"""Prints an expression of the data `d` in a report on standard input, a line for each of its elements."""
import json
import re
import sys

d = json.loads(re.search(r'id="settle-data">(.*?)</script>', sys.stdin.read(), re.S)[1])
print(*eval(sys.argv[1]), sep="\n")
