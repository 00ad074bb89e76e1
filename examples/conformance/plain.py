"""A driver for the `naming` and `inverse` profiles in Python, without any package of this project.

One request per line comes in, one answer per line goes out. Put your own functions in place of those below.
"""

import json
import re
import sys

UPSTREAM_ID = re.compile(r"[a-z0-9][a-z0-9-]*")


def parse_upstream_id(given):
    return given["text"] if UPSTREAM_ID.fullmatch(given["text"]) else None


def qualify(given):
    return given["upstream"] + "__" + given["tool"]


def split(given):
    upstream, separator, tool = given["name"].partition("__")
    return {"upstream": upstream, "tool": tool} if separator and UPSTREAM_ID.fullmatch(upstream) else None


def catalog_of(given):
    tools = {json.dumps(tool, sort_keys=True): tool for tool in given["tools"]}
    return sorted(tools.values(), key=lambda tool: (tool["exposed"], tool["key"], json.dumps(tool, sort_keys=True)))


def in_scope(tool, principal):
    kind, *whose = tool["scope"]
    return kind == "public" or (whose[0] in principal["teams"] if kind == "team" else whose[0] == principal["id"])


def lookup(given):
    name = given["name"]
    tools = [one for one in catalog_of(given) if one["exposed"] == name and in_scope(one, given["principal"])]
    return {"kind": ("unknown", "found")[len(tools)] if len(tools) < 2 else "ambiguous", "name": name, "tools": tools}


FUNCTIONS = {one.__name__: one for one in (parse_upstream_id, qualify, split, catalog_of, lookup)}


def answer(request):
    if request["type"] == "hello":
        return {
            "protocol": "1",
            "name": "names in plain Python",
            "version": "1",
            "language": "python",
            "profiles": ["naming", "inverse"],
            "functions": list(FUNCTIONS),
        }
    if request["type"] == "reset":
        return {"seq": request["seq"], "output": None}
    try:
        return {"seq": request["seq"], "output": FUNCTIONS[request["function"]](request["input"])}
    except Exception as error:  # noqa: BLE001 - the answer tells what went wrong
        return {"seq": request["seq"], "errored": {"message": repr(error)}}


for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "bye":
        break
    print(json.dumps(answer(asked)), flush=True)
