"""The published Python SDK, unmodified: create, get, list over pages, update, every module, delete, not found."""

import sys
import time
import traceback
from collections.abc import Callable

import ngrok
from given import Module, client, plain, ref
from kinds import Kind, kinds
from modules import Pair, pairs
from parents import Parents
from shapes import shows

RECORDS = 5
PAGE = 2
# The time in which an agent must reconnect.
WITHIN = 60.0
# The error for a remote update of an agent.
UPDATES = "ERR_POSTERN_805"


def main() -> int:
    """Runs everything; a failure of one kind does not hide those of others."""
    api = client()
    failed = 0
    failed += _report("stranger", lambda: stranger(api))
    for kind in kinds(api):
        failed += _report(kind.name, lambda: five_operations(kind))
    failed += _report("edges/https/routes", lambda: routes(api))
    failed += _report("reserved_domains: parts", lambda: parts(api))
    for pair in pairs(api):
        failed += _report(f"{pair.owner} {pair.name}", lambda: module(api, pair))
    for path, view in [
        ("tunnel_sessions", api.tunnel_sessions),
        ("tunnels", api.tunnels),
        ("endpoints", api.endpoints),
    ]:
        failed += _report(path, lambda: viewed(view))
    for path, view, prefix in [
        ("app/users", api.application_users, "au"),
        ("app/sessions", api.application_sessions, "as"),
    ]:
        failed += _report(path, lambda: empty_view(view, prefix))
    # Last, because it ends the agent.
    failed += _report("tunnel_sessions: commands", lambda: commands(api.tunnel_sessions))
    return 1 if failed else 0


def stranger(api: ngrok.Client) -> str:
    """Refusals raise the errors of the SDK."""
    other = ngrok.Client("no key at all", base_url=api.http_client.base_url)
    refused = _refused(lambda: other.ip_policies.list(), 401)
    assert refused.operation_id, "an error names its operation"
    _refused(lambda: api.ip_policies.create(description="x" * 256), 400)
    return "401, 400"


def five_operations(kind: Kind) -> str:
    """Creates, reads, lists, changes and deletes records of a kind."""
    records = [kind.client.create(**kind.make(number)) for number in range(RECORDS)]
    for number, record in enumerate(records):
        shows(record)
        _agree(plain(record), kind.shows(kind.make(number)), "the created record")
        for name in kind.once:
            assert getattr(record, name), f"{name} is shown once"
    kept = [{**plain(record), **{name: None for name in kind.once}} for record in records]
    for record, expected in zip(records, kept, strict=True):
        again = kind.client.get(record.id)
        shows(again)
        _same(plain(again), expected, "the record read back")
    pages = listed(kind.client, [record.id for record in records])

    record = records[1]
    change = kind.change()
    for name, value in change.items():
        # One member at a time, so that the others must stay.
        needed = {other: kind.make(1)[other] for other in kind.on_update if other != name}
        before = plain(kind.client.get(record.id))
        after = kind.client.update(record.id, **needed, **{name: value})
        shows(after)
        expected = before | kind.shows({name: value}) | kind.shows(needed)
        _same(plain(after), expected, f"the record after the update of {name}")
        _same(plain(kind.client.get(record.id)), expected, f"the record read after the update of {name}")

    for record in records:
        kind.client.delete(record.id)
    for record in records:
        gone(lambda: kind.client.get(record.id))
    gone(lambda: kind.client.update(record.id, **change))
    gone(lambda: kind.client.delete(record.id))
    return f"{RECORDS} created, read, listed on {pages} pages, {len(change)} fields changed, deleted, gone"


def listed(client: object, ids: list[str]) -> int:
    """The list over pages has each of these ids once, newest first. Returns the number of pages."""
    page = client.list(limit=str(PAGE))
    shows(page)
    found = []
    for one in page:
        shows(one)
        found.append(one.id)
    assert found == sorted(found, reverse=True), f"newest first: {found}"
    assert len(found) == len(set(found)), f"nothing twice: {found}"
    assert set(ids) <= set(found), f"created and not listed: {set(ids) - set(found)}"
    assert page.next_page_uri, f"a page of {PAGE} of {len(found)} records names the next page"
    last = client.list(before_id=found[-2], limit=str(PAGE))
    assert [one.id for one in last] == found[-1:], "the last page is what is older than the last but one"
    assert last.next_page_uri is None, "the last page names no next page"
    return -(-len(found) // PAGE)


def routes(api: ngrok.Client) -> str:
    """Routes, which are nested and listed only in their edge."""
    edge = api.edges.https.create(hostports=["routes.clients.test:443"]).id
    client = api.edges.https_routes
    root = client.create(edge_id=edge, match_type="path_prefix", match="/", description="all", metadata="m")
    exact = client.create(edge_id=edge, match_type="exact_path", match="/login")
    shows(root)
    assert root.edge_id == edge and root.match == "/" and root.match_type == "path_prefix"
    assert exact.backend is None and exact.saml is None, "modules that are not configured are shown as null"
    read = client.get(edge, root.id)
    _same(plain(read), plain(root), "the route read back")
    shown = api.edges.https.get(edge)
    shows(shown)
    assert {route.id for route in shown.routes} == {root.id, exact.id}, "the edge shows its routes"
    # The SDK sends empty strings for an unchanged match.
    changed = client.update(edge, root.id, description="changed", metadata="m")
    _same(plain(changed), plain(root) | {"description": "changed"}, "the route after the update")
    moved = client.update(edge, exact.id, match="/logout")
    assert (moved.match_type, moved.match) == ("exact_path", "/logout"), "the match changed, its type stayed"
    client.delete(edge, exact.id)
    gone(lambda: client.get(edge, exact.id))
    gone(lambda: client.update(edge, exact.id, description="x"))
    api.edges.https.delete(edge)
    gone(lambda: client.get(edge, root.id))
    return "2 created, read, shown in the edge, changed, deleted, gone with the edge"


def module(api: ngrok.Client, pair: Pair) -> str:
    """Puts a module, reads it, finds it in its owner, puts it again and deletes it."""
    client = getattr(api.edge_modules, pair.client)
    owner = getattr(api.edges, pair.owner)
    ids, given = pair.ids(), pair.given()
    put = client.replace(*ids, module=Module(**given))
    shows(put)
    _agree(plain(put), pair.shows(), "the answer to the replacement")
    read = client.get(*ids)
    shows(read)
    _same(plain(read), plain(put), "the module read back")
    shown = owner.get(*ids)
    shows(shown)
    _same(plain(getattr(shown, pair.name)), plain(put), f"`{pair.name}` of the owner")
    off = client.replace(*ids, module=Module(**given | {"enabled": False}))
    assert off.enabled is False, "the second replacement took the place of the first"
    client.delete(*ids)
    gone(lambda: client.get(*ids))
    assert getattr(owner.get(*ids), pair.name) is None, "the owner shows null for what was deleted"
    return "put, read, shown by its owner, put again, deleted, gone"


def viewed(client: object) -> str:
    """Read-only views of agents."""
    page = client.list()
    shows(page)
    shown = [plain(one) for one in page]
    assert shown, "the running agent is seen"
    for one in shown:
        again = client.get(one["id"])
        shows(again)
        _same(plain(again), one, "what is read by its id")
    prefix = shown[0]["id"].split("_")[0]
    gone(lambda: client.get(f"{prefix}_{'0' * 27}"))
    return f"{len(shown)} listed, read, an unknown one is not found"


def empty_view(client: object, prefix: str) -> str:
    """Users and sessions of visitors: none during the run."""
    page = client.list(limit=str(PAGE))
    shows(page)
    assert [plain(one) for one in page] == [] and page.next_page_uri is None, "no visitor has logged in"
    gone(lambda: client.get(f"{prefix}_{'0' * 27}"))
    gone(lambda: client.delete(f"{prefix}_{'0' * 27}"))
    return "an empty list, an unknown one is neither found nor deleted"


def parts(api: ngrok.Client) -> str:
    """Certificate and management policy of a reserved domain can be deleted separately."""
    client = api.reserved_domains
    certificate = Parents(api).certificate
    own = client.create(domain="own.clients.test", certificate_id=certificate)
    _same(plain(own.certificate), ref("/tls_certificates", certificate), "the certificate of the domain")
    client.delete_certificate(own.id)
    _same(plain(client.get(own.id)), plain(own) | {"certificate": None}, "the domain without its certificate")
    policy = {"authority": "letsencrypt", "private_key_type": "rsa"}
    managed = client.create(domain="managed.clients.test", certificate_management_policy=Module(**policy))
    shows(managed)
    _same(plain(managed.certificate_management_policy), policy, "the policy of the domain")
    client.delete_certificate_management_policy(managed.id)
    without = plain(managed) | {"certificate_management_policy": None, "certificate_management_status": None}
    _same(plain(client.get(managed.id)), without, "the domain without its policy")
    for one in (own, managed):
        client.delete(one.id)
        gone(lambda: client.delete_certificate(one.id))
        gone(lambda: client.delete_certificate_management_policy(one.id))
    return "certificate and policy set, taken out, gone"


def commands(client: object) -> str:
    """Restarts the session of the agent, then stops it."""
    [first] = client.list()
    refused = _refused(lambda: client.update(first.id), 400)
    assert refused.error_code == UPDATES, f"no agent updates itself: {refused}"
    _told(lambda: client.restart(first.id))
    second = _until("there is a new session and only that", lambda: _only(client, first.id))
    for command in (client.restart, client.stop, client.update):
        gone(lambda: command(first.id))
    _told(lambda: client.stop(second))
    assert not list(client.list()), "the session is over when the answer is there"
    return "restarted, stopped, gone"


def _only(client: object, other: str) -> str | None:
    ids = [session.id for session in client.list()]
    return ids[0] if len(ids) == 1 and ids != [other] else None


def _told(call: Callable[[], object]) -> None:
    """The response to a command has no body. This SDK expects one from every POST and then raises an error."""
    try:
        call()
    except RuntimeError as complaint:
        assert "204" in str(complaint), f"the SDK's own complaint about an empty body, not {complaint!r}"
        return
    raise AssertionError("the SDK understands an answer without a body now: call it without ado")


def _until(what: str, seen: Callable[[], object]) -> object:
    deadline = time.monotonic() + WITHIN
    while time.monotonic() < deadline:
        if found := seen():
            return found
        time.sleep(0.1)
    raise AssertionError(f"waited {WITHIN:.0f} seconds in vain until {what}")


def gone(call: Callable[[], object]) -> None:
    """The call raises the SDK's NotFoundError."""
    refused = _refused(call, 404)
    assert isinstance(refused, ngrok.NotFoundError), f"expected a NotFoundError, got {refused!r}"


def _refused(call: Callable[[], object], status: int) -> ngrok.Error:
    try:
        answer = call()
    except ngrok.Error as refused:
        assert refused.http_status_code == status, f"expected {status}: {refused}"
        assert refused.error_code.startswith("ERR_POSTERN_"), f"an error has a code: {refused}"
        return refused
    raise AssertionError(f"expected a refusal with {status}, got {plain(answer)!r}")


def _agree(shown: dict, expected: dict, what: str) -> None:
    """The record has the requested values; the server adds others."""
    _same({name: shown.get(name) for name in expected}, expected, what)


def _same(shown: dict, expected: dict, what: str) -> None:
    if shown != expected:
        names = sorted(name for name in {*shown, *expected} if shown.get(name) != expected.get(name))
        told = "; ".join(f"{name} is {shown.get(name)!r}, expected {expected.get(name)!r}" for name in names)
        raise AssertionError(f"{what}: {told}")


def _report(name: str, run: Callable[[], str]) -> int:
    try:
        print(f"ok   {name}: {run()}", flush=True)
        return 0
    except Exception as failure:
        # Errors of the SDK, missing classes and assertions are all reported with their message.
        print(f"FAIL {name}: {type(failure).__name__}: {failure}", flush=True)
        if not isinstance(failure, (AssertionError, ngrok.Error)):
            traceback.print_exc(file=sys.stdout)
        return 1


if __name__ == "__main__":
    sys.exit(main())
