"""Models through litellm: the only importer of it, and only when the first call is made.

The import costs seconds of CPU, and seconds of network unless the local price table is asked for.
"""

from __future__ import annotations

import asyncio
import base64
import importlib
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from greenline.core.cancel import Cancellation
from greenline.core.error import Cancelled, ModelFailed
from greenline.core.port import Completion, Image, Message, ToolRequest, ToolSpec
from greenline.model import text_tools
from greenline.model.arguments import OUTPUT_LIMIT, read_arguments
from greenline.model.retry import MAX_TRIES, wait_before
from greenline.model.usage import usage_of

T = TypeVar("T")

_log = logging.getLogger(__name__)


class LitellmModel:
    """Implements `Model`; may be called from several threads at once."""

    def __init__(
        self,
        name: str,
        *,
        api_base: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 120.0,
        native_tools: bool | None = None,
        mask: Callable[[str], str] = str,
    ) -> None:
        """Name a model as litellm does; `native_tools` None lets litellm's table decide.

        A model at an address of the user's own needs no key. `mask` takes secrets out of what a provider says
        of a failure, which can hold the key: litellm reads keys from variables of the provider's, too.
        """
        self.name = name
        self._api_base = api_base
        self._api_key = api_key or ("none" if api_base else None)
        self._timeout_s = timeout_s
        self._native_tools = native_tools
        self._mask = mask
        self._loop = _Loop()
        self._not_before = 0.0
        """Monotonic time before which the server wants no call, of any run."""

    def sees_images(self, cancellation: Cancellation) -> bool:
        """Return whether litellm's table says so; a model that it does not know is shown none."""
        litellm = load_litellm(cancellation)
        try:
            return bool(litellm.supports_vision(model=self.name))
        except Exception:  # noqa: BLE001 - an unknown model is no error here
            return False

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        cancellation: Cancellation,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """Answer; raises `ModelFailed` with a remedy, or `Cancelled` within 2 s."""
        litellm = load_litellm(cancellation)
        native = self._has_tools(litellm)
        arguments = self._arguments(messages, tools, native)
        for attempt in range(1, MAX_TRIES + 1):
            cancellation.wait(max(0.0, self._not_before - time.monotonic()))
            cancellation.raise_if_cancelled()
            try:
                answer = self._loop.run(_stream(litellm, arguments, on_text), cancellation)
                return _completion(litellm, answer, native=native, with_tools=bool(tools), name=self.name)
            except (Cancelled, ModelFailed):
                raise
            except Exception as error:
                wait_s = wait_before(error, attempt)
                if wait_s is None:
                    raise self._failed(error) from error
                self._not_before = max(self._not_before, time.monotonic() + wait_s)
                _log.info("model %s: try %d failed, again in %.1f s", self.name, attempt, wait_s)
        raise AssertionError("the last try either answers or raises")

    def _has_tools(self, litellm: Any) -> bool:
        if self._native_tools is not None:
            return self._native_tools
        if self.name.startswith(("openai/", "azure/", "anthropic/", "hosted_vllm/", "lm_studio/")):
            return True
        try:
            return bool(litellm.supports_function_calling(model=self.name))
        except Exception:  # noqa: BLE001 - an unknown model is no error here: the text form serves every model
            return False

    def _arguments(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], native: bool
    ) -> dict[str, Any]:
        if not native and tools:
            messages = text_tools.explain(messages, tools)
        arguments: dict[str, Any] = {
            "model": self.name,
            "messages": [_wire(message, native=native) for message in messages],
            "stream": True,
            "stream_options": {"include_usage": True},
            "timeout": self._timeout_s,
            "num_retries": 0,
            "max_retries": 0,
            "api_base": self._api_base,
            "api_key": self._api_key,
        }
        if native and tools:
            arguments["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.parameters,
                    },
                }
                for tool in tools
            ]
        return {key: value for key, value in arguments.items() if value is not None}

    def _failed(self, error: Exception) -> ModelFailed:
        where = f" at {self._api_base}" if self._api_base else ""
        status = getattr(error, "status_code", None)
        words = str(getattr(error, "message", "") or error).strip().splitlines()
        # A key that is cut short is not found any more.
        said = self._mask(words[0] if words else type(error).__name__)[:300]
        if self._api_key and self._api_key != "none":
            said = said.replace(self._api_key, "***")
        remedies = {
            401: "Check GREENLINE_API_KEY.",
            403: "Check that the key may use this model.",
            404: "Check the model's name (GREENLINE_MODEL) and the address (GREENLINE_API_BASE).",
            429: "The model's limit is reached; try again later or name another model.",
        }
        fallback = "Check that the model's server runs, and GREENLINE_MODEL and GREENLINE_API_BASE."
        remedy = remedies.get(status or 0, fallback)
        return ModelFailed(f"The model {self.name}{where} failed: {said}", remedy=remedy)


class _Loop:
    """One event loop on a thread of its own, so that a call can be dropped while it waits for the network."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, work: Coroutine[Any, Any, T], cancellation: Cancellation) -> T:
        """Run a coroutine to its end; raises `Cancelled` as soon as the switch is set."""
        future = asyncio.run_coroutine_threadsafe(work, self._running())
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        with cancellation.hook(done.set):
            done.wait()
        if cancellation.cancelled:
            future.cancel()
            raise Cancelled("The model call was cancelled.")
        return future.result()

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="model-calls", daemon=True).start()
            return self._loop


def load_litellm(cancellation: Cancellation) -> Any:
    """Return litellm; raises `Cancelled` at once, and the import then goes on in its thread."""
    outcome: list[Any] = []
    done = threading.Event()

    def body() -> None:
        try:
            outcome.append(import_litellm())
        except Exception as error:  # noqa: BLE001
            # Whatever is wrong with the package, the caller must be told and not wait for ever.
            outcome.append(
                ModelFailed(f"litellm cannot be imported ({error}).", remedy="Install Greenline anew.")
            )
        finally:
            done.set()

    threading.Thread(target=body, name="import-litellm", daemon=True).start()
    with cancellation.hook(done.set):
        done.wait()
    cancellation.raise_if_cancelled()
    if isinstance(outcome[0], ModelFailed):
        raise outcome[0]
    return outcome[0]


def import_litellm() -> Any:
    """Import litellm so that it asks neither the network for prices nor a `.env` for settings.

    litellm reads the nearest `.env` above its own files: the workspace's, where Greenline is installed in the
    project's environment. Such a file must not name a model's address, nor bring its secrets in here.
    """
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ["LITELLM_MODE"] = "PRODUCTION"
    return _quiet(importlib.import_module("litellm"))


def _quiet(litellm: Any) -> Any:
    """Return litellm without the advice that it prints to standard output, and without telemetry.

    Its loggers lose their own handlers, so that what they say goes where ours goes, masked.
    """
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).handlers.clear()
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    return litellm


async def _stream(litellm: Any, arguments: dict[str, Any], on_text: Callable[[str], None] | None) -> Any:
    """Collect a streamed answer into one response."""
    chunks = []
    async for chunk in await litellm.acompletion(**arguments):
        chunks.append(chunk)
        text = chunk.choices[0].delta.content if chunk.choices else None
        if text and on_text is not None:
            on_text(text)
    return litellm.stream_chunk_builder(chunks, messages=arguments["messages"])


def _wire(message: Message, *, native: bool) -> dict[str, Any]:
    """Return a message in OpenAI's form; without native tools, a tool's answer is the user's message."""
    if not native:
        role = "user" if message.role == "tool" else message.role
        parts = (message.content, text_tools.written(message.tool_requests))
        return {"role": role, "content": _content("\n".join(part for part in parts if part), message.images)}
    value: dict[str, Any] = {"role": message.role, "content": _content(message.content, message.images)}
    if message.tool_requests:
        value["tool_calls"] = [
            {
                "id": request.id,
                "type": "function",
                "function": {"name": request.name, "arguments": json.dumps(request.arguments)},
            }
            for request in message.tool_requests
        ]
    if message.role == "tool":
        value["tool_call_id"] = message.tool_call_id
    return value


def _content(text: str, images: tuple[Image, ...]) -> str | list[dict[str, Any]]:
    """Return what a message says, with its images as parts in litellm's form."""
    if not images:
        return text
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
    for image in images:
        data = base64.b64encode(image.data).decode("ascii")
        parts.append({"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{data}"}})
    return parts


def _completion(litellm: Any, answer: Any, *, native: bool, with_tools: bool, name: str) -> Completion:
    if answer is None or not answer.choices:
        raise ModelFailed(f"The model {name} answered with nothing.", remedy="Try again, or name another.")
    choice = answer.choices[0]
    text = choice.message.content or ""
    finish = str(choice.finish_reason or "stop")
    usage = usage_of(litellm, answer)
    if finish == "length":
        # Whatever call was being written may be cut off in the middle: none of it is run.
        cut = tuple(
            ToolRequest(call.id or f"call-{number}", call.function.name or "", {}, OUTPUT_LIMIT)
            for number, call in enumerate(choice.message.tool_calls or [])
        )
        return Completion(Message("assistant", text, cut), "length", usage)
    if finish == "content_filter":
        return Completion(Message("assistant", text), "refused", usage)
    requests = _requests(choice.message.tool_calls or [])
    if not requests and with_tools and not native:
        requests, text = text_tools.parse(text)
    message = Message("assistant", text, requests)
    return Completion(message, "toolCalls" if requests else "stop", usage)


def _requests(calls: Sequence[Any]) -> tuple[ToolRequest, ...]:
    found = []
    for number, call in enumerate(calls):
        name = call.function.name or ""
        arguments, problem = read_arguments(name, call.function.arguments or "")
        found.append(ToolRequest(call.id or f"call-{number}", name, arguments, problem))
    return tuple(found)
