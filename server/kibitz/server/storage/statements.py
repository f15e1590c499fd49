"""What the log says to its file: the tables are those of the present schema."""

from ..log.log import AWAY

RECORD = "insert into record values (?, ?, ?)"
NEW_ROOM = "insert into room (number, id, last, info) values (?, ?, ?, ?)"
ROOM = "update room set last = ?, info = ? where id = ?"
HEAD = f"select last from room where id = ?1 union all select {AWAY} from archive where id = ?1"
NUMBER = "select number from room where id = ?1 union all select number from archive where id = ?1"
NEXT_NUMBER = "select 1 + max(ifnull((select max(number) from room), 0),\
 ifnull((select max(number) from archive), 0))"
PUT_AWAY = "insert into archive (number, id, last, daily, info, data)\
 select number, id, last, ?, info, ? from room where id = ?"
