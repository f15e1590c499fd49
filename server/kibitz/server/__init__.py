"""The asyncio shell: rooms that decide, write down, then tell."""
