// boardgame.io: its server, one player, a move that is checked and counted.

const { Origins, Server } = require("boardgame.io/server");
const { PILES, say } = require("./game");

const solo = {
  name: "solo",
  minPlayers: 1,
  maxPlayers: 1,
  disableUndo: true,
  setup: () => ({ number: 0, source: 0, target: 0, cards: 0, padding: "k3fj29xq".repeat(4) }),
  moves: {
    move: ({ G }, source, target, cards) => {
      const legal = source < PILES && target < PILES && source !== target && cards;
      if (!legal) return "INVALID_MOVE";
      Object.assign(G, { number: G.number + 1, source, target, cards });
    },
  },
};

const server = Server({ games: [solo], origins: [Origins.LOCALHOST] });
server.run({ port: 0 }).then(({ appServer }) => say(appServer.address().port));
