/**
 * Parts of the page that come with their first use.
 *
 * Promises: one that cannot be had because the server is away just then comes with the next
 * connection. Never: hides that a part is broken.
 */

/**
 * A part, as soon as it can be had.
 * @template T
 * @param {EventTarget & {state: string}} client
 * @param {() => Promise<T>} load
 * @param {AbortSignal} signal  whether nobody needs it any more
 * @returns {Promise<T>}
 */
export async function later(client, load, signal) {
  for (;;) {
    try {
      return await load();
    } catch (problem) {
      if (!(problem instanceof TypeError)) throw problem; // it was had, and is broken
    }
    await /** @type {Promise<void>} */ (
      new Promise((done) => {
        const look = () => client.state === "open" && done();
        client.addEventListener("state", look, { signal });
      })
    );
  }
}
