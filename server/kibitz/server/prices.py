"""What requests count: most of them one, those that cost work or are read by everybody more."""

from kibitz.protocol import requests as ask

PRICES: dict[type[ask.RequestBase], float] = {
    ask.Create: 20.0,
    ask.Fork: 20.0,
    ask.Rematch: 20.0,
    ask.Present: 20.0,
    ask.Daily: 5.0,
    ask.Say: 10.0,
    ask.History: 3.0,
    ask.ViewAt: 5.0,
    ask.Replay: 20.0,
}
"""Requests that count as so many more than one."""
PASSWORD_PRICE = 50.0
KEY_PRICE = 50.0
"""Whoever guesses at the key of the operator waits a quarter of a second for the next guess."""
REPLAY_BYTES_A_TOKEN = 256
"""A long text takes long to play: the longest costs as much as a whole second may."""


def price(request: ask.Request) -> float:
    """What a request costs above one."""
    if isinstance(request, ask.Create | ask.Join) and request.password is not None:
        return PASSWORD_PRICE
    if isinstance(request, ask.Admin) and request.key is not None:
        return KEY_PRICE
    if isinstance(request, ask.Replay):
        return PRICES[ask.Replay] + len(request.text) / REPLAY_BYTES_A_TOKEN
    return PRICES.get(type(request), 0.0)
