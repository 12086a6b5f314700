"""The environment of a client suite: a server behind a relay that records every call, and an agent."""

import sys
from pathlib import Path

from . import material
from .recorder import Recorder

sys.path.append(str(Path(__file__).resolve().parents[2]))
from running import Running  # noqa: E402


class World(Running):
    """`calls` is the recorded address for the suite."""

    def __init__(self, programs: Path) -> None:
        super().__init__(programs, "clients")
        self.material = self.folder / "material"
        self.recorder = Recorder()

    @property
    def calls(self) -> str:
        """The address of the API for the suite."""
        return self.recorder.url

    def begin(self) -> None:
        material.make(self.material)
        self.start_server("--base-url", self.calls)
        host, _, port = self.api.removeprefix("http://").rpartition(":")
        self.recorder.upstream = (host, int(port))

    def end(self) -> None:
        self.recorder.close()

    def start_agent(self, tunnels: dict[str, dict] | None = None, **settings: object) -> None:
        """Starts an agent with these tunnels, by default two, so that the views are not empty."""
        here = self.recorder.url.rpartition(":")[2]
        shown = {"site": {"proto": "http", "addr": here}, "group": {"labels": ["app=clients"], "addr": here}}
        super().start_agent(tunnels or shown, web_addr="127.0.0.1:0", **settings)
