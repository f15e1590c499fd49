/**
 * A token that somebody's link brings along, `#token=...`: taken once, then gone from the address.
 *
 * Promises: it is kept nowhere before the server has taken it, so that no link can cost a visitor
 * the identity that he has. Never sends it anywhere.
 */

const TOKEN = /^#token=([\w.~+/=-]{1,4096})$/;

/** @returns {string | undefined} */
function take() {
  const found = TOKEN.exec(location.hash);
  if (location.hash.startsWith("#token=")) {
    history.replaceState(null, "", location.pathname + location.search);
  }
  return found?.[1];
}

/** The token of this visit, if its address had one. */
export const brought = take();

// A link to the page that is open already only changes the fragment.
addEventListener("hashchange", () => {
  if (location.hash.startsWith("#token=")) location.reload();
});
