"""The operations that a published client supports, read from its source.

The server has operations that no third-party client can know, and will get more. There is no list of them: what a
client has a method for has to be called, and what it has none for cannot be.
"""

import re
from pathlib import Path

Operation = tuple[str, str]
"""Method, and path with blank parameters."""

# Both clients are generated: a path is followed by its method.
SHAPES = {
    ".py": re.compile(r'path = "(/[^"]*)"(?:(?!path = ").)*?http_client\.(\w+)\(', re.DOTALL),
    ".rs": re.compile(r'"(/[a-z][^"]*)"(?:(?!"/[a-z]).)*?reqwest::Method::(\w+)', re.DOTALL),
}


def operations(source: Path) -> set[Operation]:
    """All operations that this source calls."""
    return {(method.upper(), blank(path)) for path, method in SHAPES[source.suffix].findall(source.read_text())}


def blank(path: str) -> str:
    """The path without the names of its parameters."""
    return re.sub(r"\{\w+\}", "{}", path)
