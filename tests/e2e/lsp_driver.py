"""A small client that speaks raw JSON-RPC to a server process, for what a well-behaved client never sends."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

TIMEOUT_S = 20.0
LATER = object()
"""Result of a server's request that a test answers itself, in its own time."""


class Driver:
    """One server process; every message that it sends is kept in `received`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.received: list[dict[str, Any]] = []
        self.answers: dict[str, Callable[[dict[str, Any]], Any]] = {}
        """Method of a server's request → result, or an exception that becomes an error."""
        self._arrived = asyncio.Condition()
        self._ids = 0
        self._reader = asyncio.get_running_loop().create_task(self._read(), name="driver")

    def send_raw(self, *bodies: bytes) -> None:
        """Send bodies in one write."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(b), b) for b in bodies))

    def send(self, *messages: dict[str, Any]) -> None:
        """Send messages in one write."""
        self.send_raw(*(json.dumps({"jsonrpc": "2.0", **m}).encode() for m in messages))

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send({"method": method, "params": params})

    def start_request(self, method: str, params: Any = None) -> int:
        """Send a request; return its id."""
        self._ids += 1
        self.send({"id": self._ids, "method": method, "params": params})
        return self._ids

    async def request(self, method: str, params: Any = None) -> dict[str, Any]:
        """Send a request and return its whole answer."""
        return await self.answer(self.start_request(method, params))

    async def result(self, method: str, params: Any = None) -> Any:
        """Send a request and return its result; an error fails."""
        answer = await self.request(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    async def answer(self, message_id: int) -> dict[str, Any]:
        """Wait for the answer to a request."""
        return await self.wait_for(lambda m: m.get("id") == message_id and "method" not in m)

    async def wait_for(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait for a message, including those that have come already."""
        async with asyncio.timeout(TIMEOUT_S), self._arrived:
            while True:
                for message in self.received:
                    if wanted(message):
                        return message
                await self._arrived.wait()

    def of(self, method: str) -> list[dict[str, Any]]:
        """Return the params of the messages of one method that have come."""
        return [m["params"] for m in self.received if m.get("method") == method]

    async def initialize(self, root: Path, **more: Any) -> dict[str, Any]:
        """Open a session over one root."""
        params: dict[str, Any] = {
            "processId": None,
            "rootUri": None,
            "capabilities": {},
            "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}],
            **more,
        }
        result: dict[str, Any] = await self.result("initialize", params)
        self.notify("initialized", {})
        return result

    async def end(self) -> int:
        """Shut down and return the exit code."""
        await self.result("shutdown")
        self.notify("exit")
        async with asyncio.timeout(TIMEOUT_S):
            return await self.process.wait()

    async def close(self) -> None:
        """Make sure that the process is gone."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        self._reader.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reader
        self.process._transport.close()  # type: ignore[attr-defined]  # or its pipes warn at collection

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while header := await self.process.stdout.readline():
            length = int(header.removeprefix(b"Content-Length:"))
            while (await self.process.stdout.readline()).strip():
                pass
            message = json.loads(await self.process.stdout.readexactly(length))
            async with self._arrived:
                self.received.append(message)
                self._arrived.notify_all()
            if "method" in message and "id" in message:
                self._answer(message)

    def _answer(self, message: dict[str, Any]) -> None:
        reply = self.answers.get(message["method"], lambda _: None)
        try:
            result = reply(message["params"])
            if result is not LATER:
                self.send({"id": message["id"], "result": result})
        except Exception as error:  # noqa: BLE001  # whatever the test wants refused
            self.send({"id": message["id"], "error": {"code": -32603, "message": str(error)}})


@contextlib.asynccontextmanager
async def started(*command: str) -> AsyncIterator[Driver]:
    """Start a server process and end it with the block."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    driver = Driver(process)
    try:
        yield driver
    finally:
        await driver.close()
