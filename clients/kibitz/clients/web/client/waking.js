/** When to look whether the server is there: the page is seen again, the network is back. */

/**
 * @param {(isNewNetwork: boolean) => void} happen
 * @returns {() => void} what ends it
 */
export function onWake(happen) {
  const online = () => happen(true);
  const shown = () => {
    if (document.visibilityState === "visible") {
      happen(false);
    }
  };
  globalThis.addEventListener?.("online", online);
  globalThis.document?.addEventListener("visibilitychange", shown);
  return () => {
    globalThis.removeEventListener?.("online", online);
    globalThis.document?.removeEventListener("visibilitychange", shown);
  };
}
