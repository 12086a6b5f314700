"""What the suites of third-party clients share: a world to call, a recorder of the calls, the table of the contract."""
