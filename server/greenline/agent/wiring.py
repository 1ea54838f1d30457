"""Fits the parts below the agent to the ports that it works with; heavy imports stay inside the functions."""

from __future__ import annotations

from greenline.agent.record import Mask
from greenline.agent.repairer import EngineRepairer
from greenline.agent.scope import no_model
from greenline.agent.services import AskPermission, OpenTools, Repairer, ToolSession
from greenline.config.settings import Settings
from greenline.core.error import InvalidInput
from greenline.core.port import Limits, Model, Sandbox, Verifier
from greenline.workspace.snapshot import Snapshot, StageGate


def make_repairer(settings: Settings, verifier: Verifier, sandbox: Sandbox) -> Repairer:
    """Return the repair engine as the agent sees it."""
    limits = Limits(
        memory_mb=settings.memory_mb,
        cpus=settings.cpus,
        pids=settings.pids,
        wall_s=settings.wall_s,
        tmpfs_mb=settings.tmpfs_mb,
    )
    return EngineRepairer(sandbox, verifier, settings.repair_s, limits)


def make_model(settings: Settings, name: str | None) -> Model | None:
    """Return the model of that name, or None where none is named; raises `InvalidInput` for any other."""
    if name is None:
        return None
    raise InvalidInput(
        f"The model {name} cannot be used: this version of Greenline has the repair engine alone.",
        remedy="Take the model out of GREENLINE_MODEL and the user's configuration file.",
    )


def make_tools(settings: Settings, verifier: Verifier, sandbox: Sandbox, mask: Mask) -> OpenTools:
    """Return what makes the tools of a run."""

    def open_tools(snapshot: Snapshot, gate: StageGate, ask: AskPermission, run_id: str) -> ToolSession:
        raise no_model()

    return open_tools
