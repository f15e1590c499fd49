/**
 * What is asked of the server about its bots. It is loaded with its first use.
 *
 * @import { Client } from "../client/client.js"
 */

/** How bots play, the best first. @type {[strategy: string, label: string, about: string][]} */
export const STRATEGIES = [
  ["strong", "Strong", "thinks about every move"],
  ["fast", "Fast", "thinks, but not for long"],
  ["greedy", "Greedy", "takes what looks best at once"],
];

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
