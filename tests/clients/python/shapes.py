"""Checks that every property documented by the SDK exists with the documented type."""

import inspect
import typing
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

# Members of another product; the classes set them to None where they can.
FOREIGN = {"traffic_policy"}


def shows(value: object, where: str = "") -> None:
    """Reads every property of an SDK object, recursively. Raises AssertionError with the path of a wrong one."""
    kind = type(value)
    where = where or kind.__name__
    for name, member in inspect.getmembers(kind, lambda member: isinstance(member, property)):
        if name in FOREIGN:
            continue
        try:
            shown = getattr(value, name)
        except KeyError:
            raise AssertionError(f"{where}.{name} is missing from the response") from None
        if shown is not None:
            _is(shown, typing.get_type_hints(member.fget)["return"], f"{where}.{name}")


def _is(value: object, hint: object, where: str) -> None:
    origin = typing.get_origin(hint)
    if origin is Sequence:
        _must(isinstance(value, list), value, "a list", where)
        for index, element in enumerate(value):
            _is(element, typing.get_args(hint)[0], f"{where}[{index}]")
    elif origin is Mapping:
        _must(isinstance(value, dict), value, "a map", where)
        for key, element in value.items():
            _is(element, typing.get_args(hint)[1], f"{where}[{key!r}]")
    elif hint is datetime:
        _must(isinstance(value, str) and value.endswith("Z"), value, "a time in UTC", where)
        datetime.fromisoformat(value)
    elif hint is timedelta:
        # The class converts it from seconds.
        _must(isinstance(value, timedelta) and value.microseconds == 0, value, "a number of whole seconds", where)
    elif hint is int:
        _must(isinstance(value, int) and not isinstance(value, bool), value, "an integer", where)
    elif hint is float:
        _must(isinstance(value, (int, float)) and not isinstance(value, bool), value, "a number", where)
    elif hint in (str, bool):
        _must(isinstance(value, hint), value, hint.__name__, where)
    else:
        _must(isinstance(value, hint), value, hint.__name__, where)
        shows(value, where)


def _must(holds: bool, value: object, expected: str, where: str) -> None:
    assert holds, f"{where} is {value!r}, expected {expected}"
