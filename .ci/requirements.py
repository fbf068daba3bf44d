"""Reading dependencies out of pyproject.toml: prints them for the given extras."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
names = list(project["dependencies"])
for extra in sys.argv[1].split(","):
    names += project["optional-dependencies"][extra]
print("\n".join(names))
