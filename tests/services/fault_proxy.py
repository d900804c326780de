"""A proxy on loopback in front of a real HTTP server, which makes some requests fail in the ways that networks do.

Bytes pass unchanged, the Host header too, so that signatures hold. Bodies are streamed, never kept whole.
Not here: which requests fail in a storm (SeededFaults draws them; a test may say it request by request).
"""

import asyncio
import random
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum

from tests.services.http_messages import Head, body_of, read_head

SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.05, 1.5
GONE = (ConnectionError, asyncio.IncompleteReadError)
LONGEST_HEAD = 1_048_576


class Fault(StrEnum):
    """What may happen to a request."""

    REFUSED_500 = "500 InternalError, not done"
    REFUSED_503 = "503 SlowDown, not done"
    SLOW = "slow answer"
    CUT_BEFORE = "connection cut before the request"
    CUT_IN_REQUEST = "connection cut within the request"
    CUT_IN_ANSWER = "connection cut within the answer"
    DONE_AND_CUT = "done, answer lost"
    DONE_AND_500 = "done, answered 500"


REFUSALS = {
    Fault.REFUSED_500: ("500 Internal Server Error", "InternalError"),
    Fault.REFUSED_503: ("503 Slow Down", "SlowDown"),
    Fault.DONE_AND_500: ("500 Internal Server Error", "InternalError"),
}

Choice = Callable[[str, str], Fault | None]
"""Method and target of a request -> what happens to it; nothing for most."""


@dataclass
class SeededFaults:
    """Faults drawn at a rate, all kinds alike often. The same seed draws the same sequence."""

    seed: int
    rate: float

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def __call__(self, method: str, target: str) -> Fault | None:
        """Draw for the next request, whatever it asks."""
        drawn, kind = self._random.random(), self._random.choice(list(Fault))
        return kind if drawn < self.rate else None


@dataclass
class FaultProxy:
    """A running proxy and what it did: requests seen, faults by kind."""

    port: int
    requests: int = 0
    faults: Counter[Fault] = field(default_factory=Counter)

    @property
    def endpoint_url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def fault_proxy(server_port: int, choose: Choice) -> Iterator[FaultProxy]:
    """A proxy in front of a server on loopback, in a thread of its own until the context is left."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    listening = socket.create_server(("127.0.0.1", 0), backlog=256)
    proxy = FaultProxy(listening.getsockname()[1])

    async def serve() -> asyncio.Server:
        return await asyncio.start_server(
            _Connections(proxy, server_port, choose).serve, sock=listening, limit=LONGEST_HEAD
        )

    server = asyncio.run_coroutine_threadsafe(serve(), loop).result()
    try:
        yield proxy
    finally:
        asyncio.run_coroutine_threadsafe(_stopped(server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _stopped(server: asyncio.Server) -> None:
    server.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


@dataclass
class _Connections:
    proxy: FaultProxy
    server_port: int
    choose: Choice

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client's connection, request after request, over one connection to the server."""
        with suppress(*GONE, asyncio.CancelledError), closing(writer):  # cancelled when the proxy is left
            back, forth = await asyncio.open_connection("127.0.0.1", self.server_port, limit=LONGEST_HEAD)
            with closing(forth):
                while await self._one(_Sides(reader, writer, back, forth)):
                    pass

    async def _one(self, sides: "_Sides") -> bool:
        """One request; whether the connection goes on."""
        request = await read_head(sides.from_client)
        if request is None:
            return False
        method, target = request.words[:2]
        fault = self.choose(method, target)
        self.proxy.requests += 1
        if fault is not None:
            self.proxy.faults[fault] += 1
        if fault in (Fault.REFUSED_500, Fault.REFUSED_503):
            return await sides.refuse(fault, request)
        if fault is Fault.CUT_BEFORE:
            return sides.cut()
        if fault is Fault.CUT_IN_REQUEST:
            return await sides.cut_in_request(request)
        return await sides.forward(request, method, fault)


@dataclass
class _Sides:
    """Both ends of one request: the client's connection and the server's."""

    from_client: asyncio.StreamReader
    to_client: asyncio.StreamWriter
    from_server: asyncio.StreamReader
    to_server: asyncio.StreamWriter

    async def forward(self, request: Head, method: str, fault: Fault | None) -> bool:
        """Let the server do it; what the client learns of it depends on the fault."""
        self.to_server.write(request.raw)
        sending = asyncio.create_task(self._send_body(request))
        try:
            answer = await self._answer()
            if fault is Fault.SLOW:
                await asyncio.sleep(random.uniform(SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS))
            if fault in (Fault.DONE_AND_CUT, Fault.DONE_AND_500):
                async for _ in body_of(self.from_server, answer, of_method=method):
                    pass
                return self.cut() if fault is Fault.DONE_AND_CUT else await self.refuse(fault, request)
            if fault is Fault.CUT_IN_ANSWER:
                return await self._cut_in_answer(answer, method)
            self.to_client.write(answer.raw)
            async for piece in body_of(self.from_server, answer, of_method=method):
                self.to_client.write(piece)
                await self.to_client.drain()
            await self.to_client.drain()
            # An answer before the whole request was read: what is left of it cannot be told from the next one.
            return sending.done() and answer.is_kept_alive
        finally:
            sending.cancel()

    async def _send_body(self, request: Head) -> None:
        with suppress(*GONE):
            async for piece in body_of(self.from_client, request):
                self.to_server.write(piece)
                await self.to_server.drain()

    async def _answer(self) -> Head:
        """The head of the answer; `100 Continue` and the like are passed on before it."""
        while True:
            answer = await read_head(self.from_server)
            if answer is None:
                raise ConnectionResetError("the server closed the connection")
            if not answer.words[1].startswith("1"):
                return answer
            self.to_client.write(answer.raw)
            await self.to_client.drain()

    async def refuse(self, fault: Fault, request: Head) -> bool:
        """Answer as a store in trouble does, and close: the request's body may never have been read."""
        status, code = REFUSALS[fault]
        body = "" if request.words[0] == "HEAD" else (
            f'<?xml version="1.0" encoding="UTF-8"?><Error><Code>{code}</Code><Message>storm</Message></Error>'
        )  # fmt: skip
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nContent-Length: {len(body)}\r\n"
        self.to_client.write(f"{head}Connection: close\r\n\r\n{body}".encode())
        await self.to_client.drain()
        self.to_client.write_eof()
        with suppress(*GONE, TimeoutError):  # a reset would take the answer with it
            await asyncio.wait_for(self._drained(), LONGEST_PAUSE_SECONDS)
        return False

    async def _drained(self) -> None:
        while await self.from_client.read(65_536):
            pass

    async def cut_in_request(self, request: Head) -> bool:
        """Pass half of a request on, then cut both: half of its body, or of its head where it has none."""
        if not request.asks_for_a_body:
            self.to_server.write(request.raw[: len(request.raw) // 2])
        else:
            self.to_server.write(request.raw)
            if request.waits_for_continue and (interim := await read_head(self.from_server)):
                self.to_client.write(interim.raw)
                if interim.words[1] != "100":
                    return self.cut()
            piece = await anext(body_of(self.from_client, request))
            self.to_server.write(piece[: len(piece) // 2])
        await self.to_server.drain()
        return self.cut()

    async def _cut_in_answer(self, answer: Head, method: str) -> bool:
        first = b""
        async for piece in body_of(self.from_server, answer, of_method=method):
            first = first or piece[: len(piece) // 2]
        self.to_client.write(answer.raw + first if first else answer.raw[: len(answer.raw) // 2])
        await self.to_client.drain()
        return self.cut()

    def cut(self) -> bool:
        """Reset the client's connection, and the server's."""
        for side in (self.to_client, self.to_server):
            connected = side.get_extra_info("socket")
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            side.transport.abort()
        return False
