"""The environment of the suite, and helpers that the SDK lacks."""

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
    """A reference in the format of the contract."""
    return {"id": id, "uri": f"{URL}{path}/{id}"}


class Module:
    """A module's configuration for the SDK, whose own classes wrap nested objects so that it cannot send them."""

    def __init__(self, **members: object) -> None:
        self._props = members


def plain(value: object) -> object:
    """The JSON that an SDK object was made from."""
    if hasattr(value, "_props"):
        return {name: plain(member) for name, member in value._props.items()}
    if isinstance(value, list):
        return [plain(member) for member in value]
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    return value
