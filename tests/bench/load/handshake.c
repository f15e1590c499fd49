#include "handshake.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { KEY = 24, DIGEST = 20, BLOCK = 64 };

static uint32_t rotate(uint32_t word, int by) {
    return word << by | word >> (32 - by);
}

static void digest_block(uint32_t sum[5], const uint8_t *block) {
    uint32_t words[80], a = sum[0], b = sum[1], c = sum[2], d = sum[3], e = sum[4];
    for (int i = 0; i < 16; i++) {
        const uint8_t *at = block + 4 * i;
        words[i] = (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
    }
    for (int i = 16; i < 80; i++)
        words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    for (int i = 0; i < 80; i++) {
        uint32_t mixed;
        if (i < 20) mixed = ((b & c) | (~b & d)) + 0x5a827999;
        else if (i < 40) mixed = (b ^ c ^ d) + 0x6ed9eba1;
        else if (i < 60) mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
        else mixed = (b ^ c ^ d) + 0xca62c1d6;
        uint32_t next = rotate(a, 5) + mixed + e + words[i];
        e = d, d = c, c = rotate(b, 30), b = a, a = next;
    }
    sum[0] += a, sum[1] += b, sum[2] += c, sum[3] += d, sum[4] += e;
}

/* SHA-1 of at most 119 bytes (RFC 3174). */
static void digest(const uint8_t *bytes, size_t size, uint8_t to[DIGEST]) {
    uint32_t sum[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    uint8_t padded[2 * BLOCK] = {0};
    size_t length = size + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
    memcpy(padded, bytes, size);
    padded[size] = 0x80;
    padded[length - 2] = (uint8_t)(size * 8 >> 8);
    padded[length - 1] = (uint8_t)(size * 8);
    for (size_t at = 0; at < length; at += BLOCK) digest_block(sum, padded + at);
    for (int i = 0; i < DIGEST; i++) to[i] = (uint8_t)(sum[i / 4] >> (24 - 8 * (i % 4)));
}

static void write_base64(const uint8_t bytes[DIGEST], char *to) {
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i < DIGEST; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8;
        if (i + 2 < DIGEST) three |= bytes[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6) *to++ = digits[three >> shift & 63];
    }
    to[-1] = '='; /* 20 bytes are six threes and two thirds of one */
    *to = 0;
}

int handshake_answer(const char *key, char *to) {
    static const char suffix[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    uint8_t joined[KEY + sizeof suffix], sum[DIGEST];
    char accept[32];
    memcpy(joined, key, KEY);
    memcpy(joined + KEY, suffix, sizeof suffix);
    digest(joined, KEY + sizeof suffix - 1, sum);
    write_base64(sum, accept);
    return sprintf(to,
                   "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                   "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
                   accept);
}
