// A driver for the `naming` profile in plain JavaScript: one request per line in, one answer per line out.
// Put your own functions in place of the three below.
import { createInterface } from "node:readline";

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

function answer(request) {
  switch (request.type) {
    case "hello":
      return {
        protocol: "1",
        name: "naming in JavaScript",
        version: "1",
        language: "javascript",
        profiles: ["naming"],
        functions: Object.keys(functions),
      };
    case "reset":
      return { seq: request.seq, output: null };
    default:
      break;
  }
  const asked = functions[request.function];
  if (!asked) return { seq: request.seq, declined: { why: `no ${request.function} here` } };
  try {
    return { seq: request.seq, output: asked(request.input) };
  } catch (error) {
    return { seq: request.seq, errored: { message: String(error) } };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.type === "bye") break;
  process.stdout.write(JSON.stringify(answer(request)) + "\n");
}
