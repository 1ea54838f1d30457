"""`greenline packages`: what was installed from lock files, for which project, and how much it takes."""

from __future__ import annotations

import argparse
import json
import time

from greenline.cli.console import say

_MB = 1024 * 1024


def run(arguments: argparse.Namespace) -> int:
    """Print what is kept, what was used last first; with `--clear`, remove it first."""
    from greenline.app import open_packages
    from greenline.config.settings import load_settings
    from greenline.core.wire import to_json

    settings = load_settings()
    store = open_packages(settings)
    n_removed = sum(store.remove(one.key) for one in store.all()) if arguments.clear else 0
    store.prune()
    kept = store.all()
    if arguments.json:
        print(
            json.dumps({"removed": n_removed, "quotaMb": settings.packages_quota_mb, "kept": to_json(kept)})
        )
        return 0
    for one in kept:
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.used_at))
        say(f"{one.words}: {one.size_bytes / _MB:.1f} MB, used {used}")
    total_mb = sum(one.size_bytes for one in kept) / _MB
    removed = f"{n_removed} removed; " if arguments.clear else ""
    say(f"{removed}{len(kept)} kept, {total_mb:.1f} MB of {settings.packages_quota_mb} MB")
    return 0
