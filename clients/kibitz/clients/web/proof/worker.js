/**
 * The verifier beside the page: a long game takes it a second, in which nothing else may stand still.
 *
 * Promises: one question, one answer. Never: a rule, a request.
 */

/** @import { Known } from "./verify.js" */

import { verifyText } from "./text.js";
import { verify } from "./verify.js";

/** `known`: of a room; else it is a file. @typedef {{text: string, known?: Known}} Question */

addEventListener("message", ({ data }) => {
  const { text, known } = /** @type {Question} */ (data);
  const json = known || text.trimStart().startsWith("{");
  postMessage(json ? verify(text, known) : verifyText(text));
});
