#!/usr/bin/env bash
# Find a container engine, or start a private one.
#   engine.sh ensure [--print-env]   find or start; --print-env prints the line a shell needs
#   engine.sh status                 say which engine would be used
#   engine.sh start                  start a private engine though another one answers; prints its address
#   engine.sh stop                   stop the private engine, if it runs
set -euo pipefail

state="${XDG_STATE_HOME:-$HOME/.local/state}/greenline/engine"
private="unix://$state/docker.sock"

say() { printf 'engine: %s\n' "$*" >&2; }

# Ask over HTTP, so that no docker client is needed.
answers() {
  case "$1" in
    unix://*)
      # -I: a module in the current folder must not be taken for one of Python's own.
      python3 -I - "${1#unix://}" <<'PY'
import http.client, socket, sys
connection = http.client.HTTPConnection("localhost", timeout=5)
try:
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.settimeout(5)
    connection.sock.connect(sys.argv[1])
    connection.request("GET", "/_ping")
    sys.exit(0 if connection.getresponse().status == 200 else 1)
except OSError:
    sys.exit(1)
PY
      ;;
    *) command -v docker >/dev/null && timeout 10 docker --host "$1" version >/dev/null 2>&1 ;;
  esac
}

find_engine() {
  if [ -n "${DOCKER_HOST:-}" ]; then
    answers "$DOCKER_HOST" && { echo "$DOCKER_HOST"; return 0; }
    return 1
  fi
  local runtime="${XDG_RUNTIME_DIR:-/run/user/$(id -u)}" socket
  for socket in /var/run/docker.sock "$runtime/docker.sock" "$HOME/.docker/run/docker.sock" \
      "$state/docker.sock" "$runtime/podman/podman.sock" /run/podman/podman.sock; do
    [ -S "$socket" ] && answers "unix://$socket" && { echo "unix://$socket"; return 0; }
  done
  return 1
}

install_engine() {
  command -v dockerd >/dev/null && return 0
  command -v apt-get >/dev/null || return 1
  say "installing docker.io with apt-get (log: $state/apt.log)"
  local attempt
  for attempt in 1 2 3; do
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
      install -y -qq --no-install-recommends docker.io; } >"$state/apt.log" 2>&1 && break
    say "attempt $attempt failed"
    sleep 2
  done
  command -v dockerd >/dev/null
}

# A dead daemon leaves a pid file whose number may belong to another program by now.
drop_stale_pid() {
  [ -f "$state/docker.pid" ] || return 0
  local pid
  pid=$(cat "$state/docker.pid")
  [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = dockerd ] || rm -f "$state/docker.pid" "$state/docker.sock"
}

start_engine() {
  drop_stale_pid
  mkdir -p "$state/root" "$state/exec"
  say "starting a private engine without any network (log: $state/dockerd.log)"
  setsid dockerd --host="$private" --data-root="$state/root" --exec-root="$state/exec" \
    --pidfile="$state/docker.pid" --exec-opt native.cgroupdriver=cgroupfs \
    --bridge=none --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false \
    --userland-proxy=false --shutdown-timeout=5 \
    </dev/null >"$state/dockerd.log" 2>&1 &
  local pid=$! _
  for _ in $(seq 300); do
    answers "$private" && return 0
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  tail -n 5 "$state/dockerd.log" >&2
  return 1
}

start() {
  mkdir -p "$state"
  chmod 700 "$state"
  answers "$private" || { install_engine && start_engine; } || { say "no engine could be started; see $state"; return 1; }
  echo "$private"
}

ensure() {
  local host
  if host=$(find_engine); then
    say "using $host"
  elif [ -n "${DOCKER_HOST:-}" ]; then
    say "nothing answers at DOCKER_HOST=$DOCKER_HOST; start that engine, or unset DOCKER_HOST"
    return 1
  elif [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    say "no engine answers; install Docker and start it, or run: sudo apt-get install docker.io"
    return 1
  else
    mkdir -p "$state"
    chmod 700 "$state"
    # Two callers at once must not start two engines.
    exec 9>"$state/lock"
    flock 9
    if host=$(find_engine); then
      say "using $host"
    elif install_engine && start_engine 9>&-; then
      host=$private
      say "ready at $host"
    else
      say "no engine could be started; see $state"
      return 1
    fi
  fi
  [ "${1:-}" != --print-env ] || echo "export DOCKER_HOST=$host"
}

stop() {
  local pid _
  pid=$(cat "$state/docker.pid" 2>/dev/null) || { say "the private engine is not running"; return 0; }
  [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = dockerd ] || { say "the private engine is not running"; return 0; }
  kill "$pid"
  for _ in $(seq 150); do
    [ -d "/proc/$pid" ] || { say "stopped"; return 0; }
    sleep 0.1
  done
  say "engine $pid does not stop"
  return 1
}

case "${1:-}" in
  ensure) ensure "${2:-}" ;;
  status) if host=$(find_engine); then echo "$host"; else say "no engine answers; run: $0 ensure"; exit 1; fi ;;
  start) start ;;
  stop) stop ;;
  *) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
