/**
 * What main.js hands to every page. Types only.
 *
 * @import { Client } from "../client/client.js"
 * @import { Router, Route } from "./router.js"
 * @import { settings } from "./settings.js"
 */

/**
 * @typedef {object} Context
 * @property {Client} client
 * @property {typeof settings} settings
 * @property {Router} router
 * @property {() => Promise<boolean>} named  asks for a name where there is none yet;
 *   false: the visitor would rather not
 * @property {(text: string) => Promise<void>} openText  a dropped save or replay
 * @property {() => void} pickFile  lets the visitor choose a file, and opens it
 * @property {(title: string) => void} titled  what the document's title calls this page
 */

/**
 * A page: a custom element for one route.
 * @typedef {HTMLElement & {context: Context, open(route: Route): void | Promise<void>,
 *   update(route: Route): void, close(): void}} Page
 */

export {};
