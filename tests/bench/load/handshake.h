/* The server's half of the WebSocket handshake. */
#ifndef HANDSHAKE_H
#define HANDSHAKE_H

/* Write the answer to a request with this Sec-WebSocket-Key (24 characters).
   Returns its length, at most 200. */
int handshake_answer(const char *key, char *to);

#endif
