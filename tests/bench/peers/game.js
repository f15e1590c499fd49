// The plain room work that every Node peer does (see load/rooms.h for the bytes).

const MOVE_SIZE = 8;
const EVENT_SIZE = 118;
const PILES = 13;

class Room {
  constructor() {
    this.members = new Set();
    this.log = [];
  }

  // Check, number and keep a move; the event for everybody, or null.
  take(data) {
    if (data.length !== MOVE_SIZE || data[0] !== 1) return null;
    const [source, target, cards] = data.subarray(5);
    if (source >= PILES || target >= PILES || source === target || !cards) return null;
    const event = Buffer.alloc(EVENT_SIZE);
    event[0] = 2;
    event.writeUInt32LE(this.log.length + 1, 1);
    event.set(data.subarray(1), 5);
    this.log.push(event);
    return event;
  }
}

const rooms = new Map();

// The room of `/?room=7&role=p`, made if it is not there.
function roomAt(url) {
  const name = /room=([^&]*)/.exec(url)[1];
  if (!rooms.has(name)) rooms.set(name, new Room());
  return rooms.get(name);
}

// Tell that the server listens.
function say(port) {
  process.stdout.write(`${port}\n`);
}

module.exports = { PILES, Room, roomAt, say };
