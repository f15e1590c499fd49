/**
 * What is asked of the server about its bots. It is loaded with its first use.
 *
 * @import { Client } from "../client/client.js"
 */

/**
 * Have a bot of the server's sit down in a race.
 * @param {Client} client
 * @param {string} room
 * @param {{strategy?: string, pace?: number}} [how]  `pace`: ms from one move to the next
 */
export function seatBot(client, room, how) {
  return client.request({ t: "bot", room, ...how });
}

/**
 * Have the bot on a seat leave.
 * @param {Client} client
 * @param {string} room
 * @param {number} seat
 */
export function sendBotAway(client, room, seat) {
  return client.request({ t: "bot", room, on: false, seat });
}
