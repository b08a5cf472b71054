"""The official client in Python. It makes the calls of a file, and prints a line for each: tool, protocol version, version of the library.

client.py auto|legacy CALLS COMMAND
"""
import asyncio
import json
import sys
from importlib.metadata import version

from mcp import Client, StdioServerParameters


async def main(mode, calls, command):
    async with Client(StdioServerParameters(command=command, args=["mcp"]), mode=mode) as client:
        await client.list_tools()
        for call in json.load(open(calls)):
            result = await client.call_tool(call["tool"], call["arguments"])
            text = result.content[0].text
            assert call["text"] in text, (call, text)
            assert bool(result.is_error) == call.get("isError", False), (call, text)
            assert result.structured_content, call
            print(call["tool"], client.protocol_version, version("mcp"))


asyncio.run(main(*sys.argv[1:]))
