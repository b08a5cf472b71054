// The official client in TypeScript. It makes the calls of a file, and prints a line for each: tool, protocol version,
// version of the library.
//
// client.mjs auto|legacy CALLS COMMAND
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const library = JSON.parse(readFileSync(new URL('node_modules/@modelcontextprotocol/client/package.json', import.meta.url))).version;
const [mode, calls, command] = process.argv.slice(2);
const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
await client.connect(new StdioClientTransport({ command, args: ['mcp'] }));
await client.listTools();
for (const call of JSON.parse(readFileSync(calls, 'utf8'))) {
  const result = await client.callTool({ name: call.tool, arguments: call.arguments });
  const text = result.content[0].text;
  if (!text.includes(call.text) || Boolean(result.isError) !== Boolean(call.isError) || !result.structuredContent) {
    throw new Error(JSON.stringify({ call, result }));
  }
  console.log(call.tool, client.getNegotiatedProtocolVersion(), library);
}
await client.close();
