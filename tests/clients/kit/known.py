"""Which operations a published client has a method for: read in its source.

The server has operations that no client of others can know, and will get more. Nobody keeps a list of them: what a
client has a method for has to be called, and what it has none for cannot be.
"""

import re
from pathlib import Path

Operation = tuple[str, str]
"""Method, path with its parameters left blank."""

# Both are made from one description by machines: a path, and soon after it how it is called.
SHAPES = {
    ".py": re.compile(r'path = "(/[^"]*)"(?:(?!path = ").)*?http_client\.(\w+)\(', re.DOTALL),
    ".rs": re.compile(r'"(/[a-z][^"]*)"(?:(?!"/[a-z]).)*?reqwest::Method::(\w+)', re.DOTALL),
}


def operations(source: Path) -> set[Operation]:
    """Everything that this source calls."""
    return {(method.upper(), blank(path)) for path, method in SHAPES[source.suffix].findall(source.read_text())}


def blank(path: str) -> str:
    """The path whatever its parameters are called."""
    return re.sub(r"\{\w+\}", "{}", path)
