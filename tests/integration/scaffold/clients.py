"""Configurations as the clients really write them, with programs of ours in the place of theirs.

Claude Desktop: `claude_desktop_config.json`. Cursor: `.cursor/mcp.json`, with `${env:NAME}`. VS Code:
`.vscode/mcp.json`, with comments, trailing commas, `inputs` that it asks a person for, and `${workspaceFolder}`.
"""

import json

from tests.integration.scaffold.support import CLOCK, listing

DESKTOP_SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
DESKTOP_DATABASE = "hunter2-of-the-database"


def claude_desktop() -> str:
    return json.dumps(
        {
            "globalShortcut": "",
            "mcpServers": {
                "time": CLOCK,
                "GitHub": {
                    **listing("needs", f"GITHUB_PERSONAL_ACCESS_TOKEN={DESKTOP_SECRET}", "LOG_LEVEL=debug"),
                    "env": {"LOG_LEVEL": "debug", "GITHUB_PERSONAL_ACCESS_TOKEN": DESKTOP_SECRET},
                },
                "postgres": {
                    **listing("echo", f"postgresql://reader:{DESKTOP_DATABASE}@localhost/mydb"),
                    "alwaysAllow": [],
                },
            },
        },
        indent=2,
    )


def cursor(url: str) -> str:
    return json.dumps(
        {
            "mcpServers": {
                "internal-api": {"url": url, "headers": {"Authorization": "Bearer ${env:INTERNAL_TOKEN}"}},
                "figma": {"url": url, "headers": {"X-Figma-Token": "figd_0123456789", "X-Client": "cursor"}},
                "local tools": {
                    **listing("needs", "API_KEY=value-of-cursor"),
                    "env": {"API_KEY": "${env:CURSOR_API_KEY}"},
                    "envFile": "${workspaceFolder}/.env",
                },
            }
        }
    )


def vs_code(url: str) -> str:
    program = json.dumps(listing("plain")["command"])
    script = json.dumps(listing("plain")["args"][0])
    return f"""\
// The MCP servers of this workspace: see https://code.visualstudio.com
{{
  "inputs": [
    {{
      "type": "promptString",
      "id": "perplexity-key",
      "description": "API key /* not a comment */",
      "password": true,
    }},
  ],
  "servers": {{
    /* started by the editor */
    "perplexity": {{
      "type": "stdio",
      "command": {program},
      "args": [{script}, "plain", "${{workspaceFolder}}", "--", "//not-a-comment",],
      "env": {{ "PERPLEXITY_API_KEY": "${{input:perplexity-key}}", "RETRIES": 3, "UNSET": null }},
    }},
    "github": {{
      "type": "http",
      "url": "{url}",
      "headers": {{ "Authorization": "Bearer ${{input:github_mcp_pat}}" }}
    }},
    "old": {{ "type": "sse", "url": "http://127.0.0.1:9/sse" }}, // the transport before
  }},
}}
"""
