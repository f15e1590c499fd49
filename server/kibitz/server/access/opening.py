"""From what the command line says about access to the one who says who somebody is.

``jwt`` needs a library that not everybody has installed: it is looked for only when it is needed.
"""

from functools import partial

from ..settings import Access, Auth
from ..world import World
from .authority import Authority, Guests, Unusable


def authority_of(access: Access, world: World) -> Authority:
    """The one who says who somebody is.

    Raises:
        Unusable: These settings cannot be used.

    """
    where_from = (access.jwt_key, access.jwt_jwks, access.jwt_issuer, access.jwt_audience)
    given = (*where_from, access.jwt_max_age)
    if access.auth is Auth.GUEST:
        if any(value is not None for value in given):
            raise Unusable("the --jwt options are for --auth jwt")
        return Guests(world)
    try:
        from .jwts import Jwts
        from .keys import key_of_file, keys_of_jwks
    except ModuleNotFoundError as error:
        if error.name not in ("jwt", "cryptography"):
            raise
        raise Unusable(
            "--auth jwt needs more: pip install '.[jwt]' in the folder of its source"
        ) from None
    if (access.jwt_key is None) is (access.jwt_jwks is None):
        raise Unusable("--auth jwt needs --jwt-key or --jwt-jwks, one of them")
    if access.jwt_key is not None:
        read_keys = partial(key_of_file, access.jwt_key)
    else:
        assert access.jwt_jwks is not None
        read_keys = partial(keys_of_jwks, access.jwt_jwks)
    return Jwts(
        world, read_keys, access.jwt_issuer, access.jwt_audience, max_age=access.jwt_max_age
    )
