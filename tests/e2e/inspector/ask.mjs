// The SDK's client for JavaScript: calls as JSON on standard input, their results on output.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { packages, server, calls } = JSON.parse(readFileSync(0, "utf8"));
const require = createRequire(pathToFileURL(`${packages}/`));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");

const transport = server.url
  ? new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: server.headers } })
  : new StdioClientTransport({ ...server, stderr: "ignore" });
const client = new Client({ name: "test", version: "1" });
await client.connect(transport);
const results = [];
for (const call of calls) results.push(await client.callTool(call));
await client.close();
console.log(JSON.stringify(results));
