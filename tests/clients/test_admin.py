"""``kibitz admin`` is a group of commands to which several parts add theirs."""

from clients.commands import Command


async def test_the_group_is_shown_with_its_commands(kibitz: Command) -> None:
    done = await kibitz.run_here("--help")
    assert "  admin " in done.out
    for words in (("admin",), ("admin", "--help")):
        done = await kibitz.run_here(*words)
        assert "kibitz" in done.out + done.err
        assert "  backup " in done.out + done.err
    done = await kibitz.run_here("admin", "nothing")
    assert done.code == 2 and "No such command 'nothing'" in done.err
