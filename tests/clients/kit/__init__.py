"""Shared parts of the suites of third-party clients: a world, a recorder of calls, the table of the contract."""
