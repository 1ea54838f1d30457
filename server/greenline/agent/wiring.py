"""Fits the parts below the agent to the ports that it works with; heavy imports stay inside the functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from greenline.agent.record import Mask
from greenline.agent.repairer import EngineRepairer
from greenline.agent.services import OpenTools, Repairer, ToolOutcome, ToolSession
from greenline.config.settings import Settings
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet
from greenline.core.port import Model, Sandbox, ToolRequest, ToolSpec, Verifier
from greenline.edit.apply import Staging
from greenline.guard.gate import Gate
from greenline.model.cassette_model import CassetteModel, RecordingModel
from greenline.model.scripted_model import load_script
from greenline.tool.definition import Asking, ToolContext
from greenline.tool.permission import Permission
from greenline.tool.registry import ToolBox
from greenline.workspace.snapshot import Snapshot, StageGate

if TYPE_CHECKING:
    from greenline.index.live.reader import IndexReader


def make_repairer(settings: Settings, verifier: Verifier, sandbox: Sandbox) -> Repairer:
    """Return the repair engine as the agent sees it."""
    return EngineRepairer(sandbox, verifier, settings.repair_s, settings.limits)


def make_model(settings: Settings, name: str | None, mask: Mask) -> Model | None:
    """Return the model of that name, or None where none is named; nothing heavy is imported or asked yet.

    Raises `ModelFailed` for a cassette or a script that cannot be played.
    """
    if name is None:
        return None
    kind, _, path = name.partition(":")
    if kind == "cassette":
        return CassetteModel(Path(path).expanduser())
    if kind == "scripted":
        return load_script(Path(path).expanduser())
    from greenline.model.litellm_model import LitellmModel

    model = LitellmModel(
        name,
        api_base=settings.api_base,
        api_key=settings.api_key,
        timeout_s=settings.model_timeout_s,
        mask=mask,
    )
    if settings.record_model is None:
        return model
    return RecordingModel(model, Path(settings.record_model).expanduser(), mask)


def make_tools(
    settings: Settings,
    verifier: Verifier,
    sandbox: Sandbox,
    mask: Mask,
    open_index: Callable[[Sequence[str]], IndexReader | None] = lambda _: None,
) -> OpenTools:
    """Return what makes the tools of a run; `open_index` gives those over the index of its folders."""

    def open_tools(snapshot: Snapshot, gate: StageGate, asking: Asking, run_id: str) -> ToolSession:
        root = snapshot.roots[0]
        context = ToolContext(
            root=root,
            snapshot=snapshot,
            staging=Staging(snapshot.read_bytes, *snapshot.roots),
            gate=Gate(snapshot.roots),
            verifier=verifier,
            sandbox=sandbox,
            asking=asking,
            label=run_id,
            limits=settings.limits,
            cancellation=Cancellation(),
            index=open_index(snapshot.roots),
        )
        return _MaskedTools(ToolBox(context, Permission(settings.permission, asking.permission)), mask)

    return open_tools


@attrs.frozen
class _MaskedTools:
    """A run's tools, with secrets masked in everything that a model gets to see."""

    box: ToolBox
    mask: Mask

    def specs(self, *, reading_only: bool) -> tuple[ToolSpec, ...]:
        return self.box.specs(reading_only=reading_only)

    def kind(self, name: str) -> str:
        return self.box.kind(name)

    def call(self, request: ToolRequest, cancellation: Cancellation) -> ToolOutcome:
        answer = self.box.call(request, cancellation)
        return ToolOutcome(self.mask(answer.text), answer.failed)

    def outline(self, task: str, budget_tokens: int, cancellation: Cancellation) -> str:
        return self.mask(self.box.outline(task, budget_tokens, cancellation))

    def edit_set(self) -> EditSet:
        return self.box.edit_set()
