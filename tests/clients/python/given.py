"""What the suite is given, and what the SDK cannot make by itself."""

import os
from pathlib import Path

import ngrok

URL = os.environ["POSTERN_API_URL"]
TCP_PORTS = range(*map(int, os.environ["POSTERN_TCP_PORTS"].split("-")))


def client() -> ngrok.Client:
    """The SDK's own client, as its documentation starts it."""
    return ngrok.Client(os.environ["POSTERN_API_KEY"], base_url=URL)


def text(name: str) -> str:
    """A file of the test material."""
    return (Path(os.environ["POSTERN_MATERIAL"]) / name).read_text()


def ref(path: str, id: str) -> dict[str, str]:
    """A reference as the contract writes it."""
    return {"id": id, "uri": f"{URL}{path}/{id}"}


class Module:
    """A module's configuration for the SDK's calls: its own classes wrap nested objects into what it cannot send."""

    def __init__(self, **members: object) -> None:
        self._props = members


def plain(value: object) -> object:
    """An object of the SDK as the JSON that it came from."""
    if hasattr(value, "_props"):
        return {name: plain(member) for name, member in value._props.items()}
    if isinstance(value, list):
        return [plain(member) for member in value]
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    return value
