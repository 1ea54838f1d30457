"""`greenline demo`: the main job on a bundled sample project, driven over the protocol as an editor would."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

import attrs

from greenline.cli.console import console, diff_text, evidence_table, exit_code, say, verdict_text
from greenline.core.evidence import Verdict
from greenline.core.visible import visible
from greenline.demo.scene import FEATURE_REQUEST, REPAIR_REQUEST, Scene, environment_of, play, sample_project
from greenline.verify.summary import counts


def run(arguments: argparse.Namespace) -> int:
    """Play the scenes; exit 0 only where the first one's edit is verified and was applied."""
    stage = _Stage(quiet=arguments.json)
    with sample_project() as root:
        scene = play(root, REPAIR_REQUEST, environment_of(root, with_model=False), stage)
        stage.show(scene)
        if os.environ.get("GREENLINE_MODEL"):
            stage.say("")
            stage.show(play(root, FEATURE_REQUEST, environment_of(root, with_model=True), stage))
    if arguments.json:
        print(json.dumps(as_json(scene)))
    if scene.evidence is None:
        return 5 if _could_not_run(scene) else 1
    code = exit_code(scene.evidence)
    return code if code or scene.applied == len(scene.hunks) else 1


def as_json(scene: Scene) -> dict[str, Any]:
    """Return the first scene as the command's JSON value."""
    evidence = scene.evidence
    if evidence is None:
        verdict = Verdict.COULD_NOT_RUN.value if _could_not_run(scene) else Verdict.NOT_RUN.value
        return {
            "verdict": verdict,
            "reason": scene.code,
            "detail": scene.note,
            "sandbox": "",
            "engine": "",
            "base": None,
            "patched": None,
            "hunks": 0,
            "seconds": round(scene.seconds, 2),
        }
    return {
        "verdict": evidence.verdict.value,
        "reason": evidence.reason,
        "detail": evidence.detail,
        "sandbox": evidence.sandbox,
        "engine": evidence.engine,
        "base": counts(evidence.base),
        "patched": counts(evidence.patched),
        "hunks": len(scene.hunks),
        "applied": scene.applied,
        "seconds": round(scene.seconds, 2),
    }


def _could_not_run(scene: Scene) -> bool:
    return scene.code in ("sandboxUnavailable", "couldNotRun")


@attrs.frozen
class _Stage:
    quiet: bool

    def say(self, text: str) -> None:
        """Show a line."""
        if not self.quiet:
            say(text)

    def plan(self, plan: dict[str, Any]) -> None:
        """Show the plan."""
        self.say(f"plan     version {plan['version']}, by the {plan.get('engine', 'model')} engine")
        for entry in plan["entries"]:
            self.say(f"         {entry['number']}. {entry['intent']}")
            for check in entry.get("checks", ()):
                self.say(f"            must pass: {check}")

    def progress(self, text: str) -> None:
        """Show progress on a terminal, and as plain lines elsewhere unless JSON was asked for."""
        if not self.quiet:
            print(f"         … {visible(text)}", file=sys.stdout, flush=True)

    def show(self, scene: Scene) -> None:
        """Show what a scene came to."""
        if self.quiet:
            return
        out = console()
        if scene.evidence is None:
            verdict = "couldNotRun" if _could_not_run(scene) else "no proposal"
            say(f"verdict  {verdict}: {scene.note}")
            return
        evidence = scene.evidence
        out.print("verdict  ", verdict_text(evidence), sep="")
        say(f"         {evidence.detail}")
        say(f"sandbox  {evidence.engine or evidence.sandbox or 'none'}")
        out.print(evidence_table(evidence))
        for hunk, diff in zip(scene.hunks, scene.diffs, strict=True):
            say(f"hunk     {hunk.get('why', '')}")
            out.print(diff_text(diff))
        for alternative in scene.alternatives:
            out.print("another fix that the whole suite passes:")
            out.print(diff_text(alternative))
        say(f"accept   {scene.applied} of {len(scene.hunks)} hunks applied by the editor")
        touched = {hunk["uri"].rsplit("/", 1)[-1] for hunk in scene.hunks}
        for name, text in scene.buffers.items():
            if name.rsplit("/", 1)[-1] in touched:
                say(f"buffer   {name} is now:")
                say("".join(f"         {line}" for line in text.splitlines(keepends=True)))
        say(f"done     in {scene.seconds:.1f} s")
