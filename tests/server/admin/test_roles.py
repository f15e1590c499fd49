"""Whose token has the role ``admin`` gives orders without a key."""

from pathlib import Path

from operators import AUDIENCE, ISSUER, pem, rsa_key, token
from server.admin.operators import KEY
from servers import running_server
from talk import talking

from kibitz.server.settings import Access, Auth


async def test_the_role_stands_for_the_key(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(pem(rsa_key()))
    access = Access(auth=Auth.JWT, jwt_key=path, jwt_issuer=ISSUER, jwt_audience=AUDIENCE)
    async with (
        running_server(access=access, admin_key=KEY) as running,
        talking(running.url, token=token("op", roles=["admin"])) as op,
        talking(running.url, token=token("ann")) as ann,
        talking(running.url, token=token("bob", roles=["player", "spectator", "Admin"])) as bob,
    ):
        for talk in (ann, bob):
            await talk.refused("auth", "admin", act="people")
        assert len((await op.ok("admin", act="people"))["people"]) == 3 or not running.alone
        await op.refused("forbidden", "create", game="klondike")
        await bob.ok("admin", act="bans", key=KEY)
        await op.ok("admin", act="ban", id=ann.id)
        assert await ann.closed() == 4403
