// `ws` on Node: send() to every member, as its documentation does.

const { WebSocket, WebSocketServer } = require("ws");
const { roomAt, say } = require("./game");

const server = new WebSocketServer({ port: 0, host: "127.0.0.1", backlog: 4096 });

server.on("listening", () => say(server.address().port));
server.on("connection", (socket, request) => {
  const room = roomAt(request.url);
  room.members.add(socket);
  socket.on("message", (data) => {
    const event = room.take(data);
    if (!event) return;
    for (const member of room.members) {
      if (member.readyState === WebSocket.OPEN) member.send(event);
    }
  });
  socket.on("close", () => room.members.delete(socket));
  socket.on("error", () => {});
  socket.send(Buffer.from([0]));
});
