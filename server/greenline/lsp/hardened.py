"""pygls 2.1.1's protocol with its silent failures answered; each override says which.

Pinned to that version, because private methods are overridden; the tests of this module prove each one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections.abc import Callable, Generator
from concurrent.futures import Future
from functools import partial
from typing import Any

import cattrs
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcMethodNotFound,
)
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
)
from pygls.protocol.language_server import lsp_method

from greenline.core.wire import camel
from greenline.lsp import wire
from greenline.lsp.channel import Inbox, Message, Unreadable
from greenline.lsp.failure import response_error, to_response_error
from greenline.lsp.text_document import ExactWorkspace

_log = logging.getLogger(__name__)
_MAX_PROBLEMS = 3

CONTENT_SCHEME = "greenline"
"""Scheme of the read-only documents that the server offers through `workspace/textDocumentContent`."""


class HardenedProtocol(LanguageServerProtocol):
    """Gives every request exactly one answer, whatever it holds and whenever it is cancelled."""

    def __init__(self, server: Any, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        self._command_tasks: dict[int | str, Future[Any]] = {}
        self._asked: dict[str | int, Future[Any]] = {}
        """Our own requests that the client has not answered: pygls keeps them among the client's."""
        self.inbox: Inbox | None = None
        self.exit_code = 1
        self._ending: int | str | None = None
        """Id of the `shutdown` that has come; it may still be at work."""
        self._ended = asyncio.Event()
        """Set once that is answered."""

    def get_message_type(  # type: ignore[override]  # pygls caches its own on the instance for ever
        self, method: str
    ) -> type[Any] | None:
        """Return the class of a message; ours, then LSP's."""
        return wire.message_type(method) or super().get_message_type(method)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return a message as a value; raises `JsonRpcException`.

        pygls formats a traceback of every single thing that is wrong in it: seconds for a long list.
        """
        try:
            return self._converter.structure(data, self._class_of(data))
        except cattrs.ClassValidationError as error:
            raise JsonRpcInvalidParams from error
        except Exception as error:
            raise JsonRpcInternalError from error

    def _class_of(self, data: dict[str, Any]) -> type[Any]:
        method = data.get("method", "")
        if "id" not in data:
            return self.get_message_type(method) or JsonRPCNotification
        if "method" in data:
            return self.get_message_type(method) or JsonRPCRequestMessage
        if "error" in data:
            return types.ResponseErrorMessage
        return self._result_types.pop(data["id"], None) or JsonRPCResponseMessage

    def receive(self, data: Message) -> None:
        """Handle one JSON value from the wire.

        Structuring happens here, on the outermost object alone: pygls does it for every nested object that
        has a `jsonrpc` key, and so kills requests whose payload holds one.
        """
        if not isinstance(data, dict) or data.get("jsonrpc") != "2.0":
            self._refuse(data)
            return
        message_id, method = data.get("id"), data.get("method")
        if message_id is not None and not _is_id(message_id):
            self._refuse(data)
            return
        if message_id is not None and isinstance(method, str):
            if (error := self._premature(method)) is not None:
                self._send_response(message_id, error=error)
                return
            if self.inbox is not None and self.inbox.take_cancel(message_id):
                self._send_response(message_id, error=_cancelled(message_id))
                return
        try:
            message = self.structure_message(data)
        except JsonRpcException as error:
            if message_id is not None and isinstance(method, str):
                answer = self._unknown(method) or _malformed(method, error)
                _log.warning("%s", answer.message)
                self._send_response(message_id, error=answer)
            else:
                _log.warning("a malformed %s was dropped", method or "response")
                self._fail_response(message_id)
            return
        self.handle_message(message)

    def _refuse(self, data: Message) -> None:
        """Answer what is no JSON-RPC message."""
        number, what = (
            (-32700, "no JSON") if isinstance(data, Unreadable) else (-32600, "no JSON-RPC 2.0 message")
        )
        message_id = data.get("id") if isinstance(data, dict) else None
        self._send_data(
            {
                "jsonrpc": "2.0",
                "id": message_id if _is_id(message_id) else None,
                "error": {
                    "code": number,
                    "message": f"The message is {what}.",
                    "data": {"code": "malformed", "remedy": "Send one JSON-RPC 2.0 object in each frame."},
                },
            }
        )

    def _premature(self, method: str) -> types.ResponseError | None:
        """Return the error for a request outside the session's life."""
        if self._shutdown or self._ending is not None:
            return response_error(
                -32600, f"{method} came after shutdown.", "shutDown", "Start the server again."
            )
        if self._workspace is not None and method == types.INITIALIZE:
            return response_error(
                -32600, "initialize came a second time.", "initialized", "Start another server for that."
            )
        if self._workspace is None and method != types.INITIALIZE:
            return response_error(
                -32002, f"{method} came before initialize.", "notInitialized", "Send initialize first."
            )
        return None

    def _fail_response(self, message_id: Any) -> None:
        """End the wait for a client's answer that cannot be read."""
        if (future := self._take_asked(message_id)) is not None:
            future.set_exception(JsonRpcException("The client's answer cannot be read."))

    def send_request(
        self,
        method: str,
        params: Any | None = None,
        callback: Callable[[Any], None] | None = None,
        msg_id: str | int | None = None,
    ) -> Future[Any]:
        """Send a request, and remember that it is ours."""
        request_id = str(uuid.uuid4()) if msg_id is None else msg_id
        future: Future[Any] = super().send_request(method, params, callback, request_id)
        self._asked[request_id] = future
        return future

    def _handle_response(
        self, msg_id: Any, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        """Take an answer that somebody waits for; pygls raises for any other, which would end the server."""
        future = self._take_asked(msg_id)
        if future is None:
            _log.info("an answer that nobody waits for was dropped: %r", msg_id)
        elif error is not None:
            future.set_exception(JsonRpcException.from_error(error))
        else:
            future.set_result(result)

    def _take_asked(self, message_id: Any) -> Future[Any] | None:
        """Return our own request of that id where its answer is still awaited, and forget it."""
        if not isinstance(message_id, str | int) or message_id not in self._asked:
            return None
        self._request_futures.pop(message_id, None)
        future = self._asked.pop(message_id)
        return None if future.done() else future

    def _execute_handler(
        self,
        msg_id: Any,
        handler: Any,
        callback: Callable[[Any], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Forget a finished future (pygls keeps a command's for ever), and remember a command's coroutine."""
        request_id = self.msg_id
        inner = request_id is not None and msg_id != request_id

        def done(future: Future[Any]) -> None:
            self._request_futures.pop(msg_id, None)
            if inner and request_id is not None:
                self._command_tasks.pop(request_id, None)
            callback(future)

        super()._execute_handler(msg_id, handler, done, args, kwargs)
        future = self._request_futures.get(msg_id)
        if inner and request_id is not None and future is not None:
            self._command_tasks[request_id] = future

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        """Let `$/cancelRequest` reach the coroutine behind `workspace/executeCommand`."""
        if (task := self._command_tasks.pop(msg_id, None)) is not None:
            task.cancel()
        super()._handle_cancel_notification(msg_id)

    def _handle_request(self, msg_id: Any, method_name: str, params: Any) -> None:
        """Answer an unknown method with its name and a remedy."""
        if (error := self._unknown(method_name)) is not None:
            self._send_response(msg_id, error=error)
            return
        handler = self._get_handler(method_name)
        if method_name == types.SHUTDOWN:
            self._ending = msg_id
        self._ctx_msg_id.set(msg_id)
        finish = partial(self._send_handler_result, msg_id=msg_id)
        self._execute_handler(msg_id, handler, finish, (params,))

    def _unknown(self, method: str) -> types.ResponseError | None:
        """Return the error for a method that nobody handles, whatever its parameters."""
        try:
            self._get_handler(method)
        except JsonRpcMethodNotFound:
            remedy = "See the list of methods in docs/protocol.md."
            return response_error(-32601, f"The method {method!r} is unknown.", "unknownMethod", remedy)
        return None

    def _send_handler_result(self, future: Future[Any], *, msg_id: Any) -> None:
        """Answer a request; domain errors are mapped, and no traceback leaves the process."""
        self._request_futures.pop(msg_id, None)
        if future.cancelled():
            self._send_response(msg_id, error=_cancelled(msg_id))
        elif (error := future.exception()) is not None:
            self._send_response(msg_id, error=to_response_error(error))
        else:
            self._send_response(msg_id, result=future.result())
        if msg_id == self._ending:
            self._ended.set()

    async def ended(self, timeout_s: float) -> None:
        """Wait until a `shutdown` that has come is answered; an `exit` behind it may be quicker."""
        if self._ending is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), timeout_s)

    def _check_handler_result(self, future: Future[Any]) -> None:
        """Log what a notification's handler raised; there is nobody to answer."""
        if not future.cancelled() and (error := future.exception()) is not None:
            _log.error("a notification's handler failed", exc_info=error)

    def cancel_all(self) -> list[asyncio.Future[Any]]:
        """Cancel all work under way except the caller's; return the tasks to wait for.

        pygls does this at shutdown while its own dictionary changes under it.
        """
        current: Any = asyncio.current_task()
        answering: Any = self._request_futures.get(self.msg_id) if self.msg_id is not None else None
        futures: list[Any] = [*self._command_tasks.values(), *self._request_futures.values()]
        waiting = [f for f in futures if f is not current and f is not answering and not f.done()]
        for future in waiting:
            future.cancel()
        return [f for f in waiting if asyncio.isfuture(f)]

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> None:  # type: ignore[override]  # a plain handler, no generator
        """End the read loop; pygls would leave from inside a handler with `sys.exit`."""
        self.exit_code = 0 if self._shutdown or self._ending is not None else 1
        if self.inbox is not None:
            self.inbox.close(drop=True)

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Answer `initialize`, with what pygls's capability builder does not know."""
        result: types.InitializeResult = yield from super().lsp_initialize(params)
        if (workspace := result.capabilities.workspace) is not None:
            workspace.text_document_content = types.TextDocumentContentOptions(schemes=[CONTENT_SCHEME])
        return result

    def use_exact_workspace(self, params: types.InitializeParams) -> None:
        """Replace pygls's workspace by one with exact documents; call in the `initialize` handler."""
        old = self.workspace
        self._workspace = ExactWorkspace(
            old.root_uri,
            types.TextDocumentSyncKind.Incremental,
            params.workspace_folders or [],
            old.position_encoding,
        )

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Tell the user of a change to a document that was never opened, where pygls raises `KeyError`."""
        uri = params.text_document.uri
        if self.workspace.get_text_document(uri).uri not in {
            document.uri for document in self.workspace.text_documents.values()
        }:
            message = f"{uri} changed but was never opened; the client must send textDocument/didOpen first."
            self.notify(
                types.WINDOW_SHOW_MESSAGE,
                types.ShowMessageParams(type=types.MessageType.Warning, message=message),
            )
            return
        yield from super().lsp_text_document__did_change(params)


def _is_id(value: Any) -> bool:
    """Return whether JSON-RPC's rules, as LSP narrows them, let a request have this id."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def _cancelled(message_id: Any) -> types.ResponseError:
    return response_error(-32800, f"The request {message_id!r} was cancelled.", "cancelled", "")


def as_sent(problem: str) -> str:
    """Return a problem with its path spelt as the client spells it: the library knows our names only."""
    what, separator, path = problem.replace("expected tuple", "expected list").rpartition(" @ ")
    if not separator or "'" in path:
        # Keys between quotes are the client's own.
        return f"{what}{separator}{path}"
    return f"{what}{separator}{'.'.join(camel(name) for name in path.split('.'))}"


def _malformed(method: str, error: JsonRpcException) -> types.ResponseError:
    cause = error.__cause__
    problems = cattrs.transform_error(cause, path=method) if isinstance(cause, Exception) else [str(error)]
    detail = "; ".join(as_sent(p.replace(f"{method}.params", "params")) for p in problems[:_MAX_PROBLEMS])
    return response_error(
        -32602,
        f"The parameters of {method} cannot be used: {detail}.",
        "invalidParams",
        "docs/protocol.md and the LSP specification list each method's parameters.",
    )
