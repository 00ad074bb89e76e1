"""A driver for the `gateway` profile in Python, without any package of this project: it starts `mcpizer serve`.

One request per line comes in, one answer per line goes out. Put your gateway in place of this one: write the setting
down as it wants it, start it, tell where it is, and hand over what it recorded when it has ended.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading

COMMAND = [sys.executable, "-m", "mcpizer_adapters.cli", "serve"]
CREDENTIAL = {"header": "Authorization", "prefix": "Bearer "}
RECORDED = ("outcome", "name", "principal", "account", "code", "policy_version", "catalog_version")
FUNCTIONS = ["start_gateway", "stop_gateway"]


class Gateway:
    """One gateway, and the lines that it wrote."""

    def __init__(self, given):
        self.folder, self.lines, self.url = tempfile.TemporaryDirectory(), [], None
        self.serving = threading.Event()
        callers = enumerate(given["callers"])
        self.keys = {f"KEY_{place}": (one["id"], f"key-of-{one['issuer']}-5b1e0d") for place, one in callers}
        accounts = enumerate(given["credentials"].items())
        self.secrets = {f"ACCOUNT_{place}": (account, secret) for place, (account, secret) in accounts}
        file = os.path.join(self.folder.name, "policy.json")
        with open(file, "w", encoding="utf-8") as out:
            json.dump(self.policy(given), out)
        both = {**self.keys, **self.secrets}
        environment = {**os.environ, **{name: secret for name, (_, secret) in both.items() if secret is not None}}
        command = [*COMMAND, file, "--http", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        self.reading = threading.Thread(target=self.read)
        self.reading.start()
        self.serving.wait()

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line)
            if " serving http" in line:
                self.url = line.split()[-1]
                self.serving.set()
        self.serving.set()

    def policy(self, given):
        declared = given["declaration"]
        scopes = {(one["upstream"], one["name"]): one["scope"] for one in given["tools"]}
        references = {account: {"ref": f"env://{name}"} for name, (account, _) in self.secrets.items()}
        mapped = {id: [one for one in declared["tools"] if one["upstream"] == id] for id in given["upstreams"]}
        return {
            "version": 1,
            "capabilities": [{"id": one["id"]} for one in declared["capabilities"]],
            "upstreams": [
                {
                    "id": id,
                    "transport": {"kind": "mcp-http", "url": url, "credential": CREDENTIAL},
                    "tools": [tool(one, scopes.get((id, one["tool"]), ["public"])) for one in mapped[id]],
                }
                for id, url in given["upstreams"].items()
            ],
            "accounts": [
                {"id": one["id"], "disabled": one["disabled"], "secret": references[one["id"]]}
                for one in declared["accounts"]
            ],
            "principals": {"issuers": [issuer(one, place) for place, one in enumerate(given["callers"])]},
            "grants": [grant(one) for one in declared["grants"]],
        }

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.reading.join()
        self.folder.cleanup()
        records = [json.loads(line) for line in self.lines if line.startswith("{")]
        return {"records": [{key: one[key] for key in RECORDED} for one in records], "logged": "".join(self.lines)}


def tool(one, scope):
    whose = "public" if scope[0] == "public" else {scope[0]: scope[1]}
    return {"name": one["tool"], "capability": one["capability"], "scope": whose}


def attributes(given):
    return {name: values[0] if len(values) == 1 else values for name, values in given.items()}


def issuer(caller, place):
    id, _, subject = caller["id"].partition(":")
    secret, facts = {"ref": f"env://KEY_{place}"}, attributes(caller["attributes"])
    return {"id": id, "kind": "static-key", "subject": subject, "secret": secret, "attributes": facts,
            "teams": caller["teams"]}  # fmt: skip


def grant(one):
    limit, to = one["limit"], {"issuer": one["issuer"], "attributes": attributes(one["attributes"])}
    limits = {"limits": {"calls": int(limit["calls"]), "per": f"{int(limit['window_ms']) // 1000}s"}} if limit else {}
    return {"to": to, "capabilities": one["capabilities"], "using": one["using"], **limits}


def answer(request, running):
    if request["type"] == "hello":
        return {"protocol": "1", "name": "a gateway", "version": "1", "language": "python", "profiles": ["gateway"],
                "functions": FUNCTIONS}  # fmt: skip
    output = None
    if request.get("function") == "stop_gateway":
        output = running.pop().end()
    while running:  # a case that was lost may leave one behind
        running.pop().end()
    if request.get("function") == "start_gateway":
        running.append(gateway := Gateway(request["input"]))
        if gateway.url is None:
            return {"seq": request["seq"], "errored": {"message": running.pop().end()["logged"]}}
        headers = {caller: {"Authorization": f"Bearer {key}"} for caller, key in gateway.keys.values()}
        output = {"url": gateway.url, "headers": headers, "secrets": [*gateway.keys, *gateway.secrets]}
    return {"seq": request["seq"], "output": output}


def main():
    running = []
    for line in sys.stdin:
        request = json.loads(line)
        if request["type"] == "bye":
            break
        print(json.dumps(answer(request, running)), flush=True)
    while running:
        running.pop().end()


main()
