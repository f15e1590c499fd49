"""Pure rules of five solitaires: no I/O, no clock, no randomness of its own, no asyncio."""
