#!/usr/bin/env bash
source lib/common.sh
LIMIT=3
# Says it.
say() { printf '%s\n' "$1"; }
function main { say hello; run_all; }
main
