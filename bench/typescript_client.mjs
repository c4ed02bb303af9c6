// Typescript client: the server for agents asked by the client of the TypeScript SDK, over stdio or HTTP.
//
//     npm install @modelcontextprotocol/sdk
//     node bench/typescript_client.mjs stdio graphls mcp --root FOLDER
//     node bench/typescript_client.mjs http URL TOKEN
//
// Prints one object: the tools, an answer as text, one as records, whether a wrong argument is refused.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
const [kind, ...rest] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" });
const transport = kind === "stdio"
  ? new StdioClientTransport({ command: rest[0], args: rest.slice(1), env: process.env })
  : new StreamableHTTPClientTransport(new URL(rest[0]), { requestInit: { headers: { Authorization: `Bearer ${rest[1]}` } } });
await client.connect(transport);
const tools = (await client.listTools()).tools.map((t) => t.name);
const text = (await client.callTool({ name: "where", arguments: { text: "Order" } })).content[0].text;
const json = (await client.callTool({ name: "where", arguments: { text: "Order", format: "json" } }));
const refused = await client.callTool({ name: "where", arguments: { text: "x", mode: "loose" } });
const resource = (await client.readResource({ uri: "graphls://status" })).contents[0].text.length;
const prompts = (await client.listPrompts()).prompts.map((p) => p.name);
console.log(JSON.stringify({ tools, text, total: json.structuredContent.total, content: json.content, refused: refused.isError, resource, prompts, server: client.getServerVersion() }));
await client.close();
