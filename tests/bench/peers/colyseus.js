// Colyseus: broadcast() of a room. node colyseus.js PATHS SHAPE
//
// A client of Colyseus reserves its seat over HTTP and then connects. Here all seats of the rooms
// of SHAPE (such as 500x3,1x1001) are reserved before anybody comes, and the paths to connect to
// are written to the file PATHS.

const { writeFileSync } = require("node:fs");
const { Room, Server, matchMaker } = require("@colyseus/core");
const { WebSocketTransport } = require("@colyseus/ws-transport");
const game = require("./game");

const [paths, shape] = process.argv.slice(2);

class Table extends Room {
  onCreate() {
    this.maxClients = 100000;
    this.seatReservationTimeout = 3600;
    this.autoDispose = false;
    this.patchRate = null;
    const room = new game.Room();
    this.onMessage("mv", (client, data) => {
      const event = room.take(Buffer.from(data));
      if (event) this.broadcast("ev", event);
    });
  }
}

async function reserve() {
  const lines = [];
  for (const part of shape.split(",")) {
    const [rooms, members] = part.split("x").map(Number);
    const made = [];
    for (let room = 0; room < rooms; room++) made.push(await matchMaker.createRoom("table", {}));
    const seats = await Promise.all(made.map((room) => reserveSeats(room.roomId, members)));
    lines.push(...seats.flat());
  }
  writeFileSync(paths, lines.join("\n") + "\n");
}

async function reserveSeats(roomId, members) {
  const lines = [];
  for (let member = 0; member < members; member++) {
    const seat = await matchMaker.joinById(roomId, {});
    const room = seat.room || seat;
    const processId = room.processId || seat.processId;
    lines.push(`/${processId}/${room.roomId || seat.roomId}?sessionId=${seat.sessionId}`);
  }
  return lines;
}

const transport = new WebSocketTransport({ perMessageDeflate: false });
const server = new Server({ greet: false, transport });
server.define("table", Table);
server.listen(0, "127.0.0.1").then(async () => {
  await reserve();
  game.say(transport.server.address().port);
});
