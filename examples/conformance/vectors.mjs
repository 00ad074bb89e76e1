// Tries the vectors of `naming` on three functions in plain JavaScript; no suite, no Python, no search.
// node vectors.mjs FILE, where FILE is `vectors/naming.jsonl` of `mcpizer-conformance copy DIR`.
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

const UPSTREAM_ID = /^[a-z0-9][a-z0-9-]*$/;

const functions = {
  parse_upstream_id: ({ text }) => (UPSTREAM_ID.test(text) ? text : null),
  qualify: ({ upstream, tool }) => `${upstream}__${tool}`,
  split: ({ name }) => {
    const at = name.indexOf("__");
    const upstream = name.slice(0, Math.max(at, 0));
    return UPSTREAM_ID.test(upstream) ? { upstream, tool: name.slice(at + 2) } : null;
  },
};

let tried = 0;
let wrong = 0;
for (const line of readFileSync(process.argv[2], "utf-8").split("\n").filter(Boolean)) {
  const vector = JSON.parse(line);
  const answer = functions[vector.function](vector.input);
  tried += 1;
  if (!isDeepStrictEqual(answer, vector.output)) {
    wrong += 1;
    console.log(vector.id, vector.note, JSON.stringify({ asked: vector.input, answer, right: vector.output }));
  }
}
console.log(`${tried} vectors, ${wrong} wrong`);
process.exit(wrong ? 1 : 0);
