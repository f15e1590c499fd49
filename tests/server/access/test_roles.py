"""The table of roles: whole, and what it says is what happens."""

import typing

from kibitz.protocol import requests as ask
from kibitz.protocol.views import Role
from kibitz.server.access import roles
from kibitz.server.web.pages import DOWNLOADS


def test_every_request_join_and_download_stands_in_the_table() -> None:
    assert set(roles.NEEDS) == set(typing.get_args(ask.Request))
    assert set(roles.JOINS) == set(typing.get_args(Role))
    assert set(roles.DOWNLOADS) == set(DOWNLOADS)


def test_it_names_roles_that_there_are() -> None:
    needs = [*roles.NEEDS.values(), *roles.JOINS.values(), *roles.DOWNLOADS.values()]
    assert set().union(*needs) <= roles.ROLES


def test_only_what_changes_and_shows_nothing_needs_no_role() -> None:
    free = {request for request, need in roles.NEEDS.items() if not need}
    assert free == {ask.Hello, ask.Ping, ask.Leave, ask.Admin}, (
        "an order is checked where it is taken"
    )
    assert all(roles.JOINS.values()) and all(roles.DOWNLOADS.values())
