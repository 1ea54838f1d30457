"""What a cluster does with a Job: a controller makes its pod, and a node runs the pod's containers."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from stub_container import Container, Ground
from stub_fault import Faults
from stub_store import Json, Store, now
from stub_websocket import Websocket, carry

_POLL_S = 0.02


class Node:
    """Runs the pods of all Jobs of a store; safe to use from several threads."""

    def __init__(self, store: Store, faults: Faults, address: tuple[str, int]) -> None:
        self._store = store
        self._faults = faults
        self._address = address
        self._lock = threading.Lock()
        self._containers: dict[tuple[str, str], dict[str, Container]] = {}
        """Namespace and pod → containers by name."""
        self._folder = Path(tempfile.mkdtemp(prefix="greenline-cluster-"))
        self._threads: list[threading.Thread] = []
        self._over = threading.Event()

    def take(self, job: Json) -> None:
        """Work on a new Job."""
        thread = threading.Thread(target=self._work, args=(job,), name="cluster-job", daemon=True)
        with self._lock:
            self._threads.append(thread)
        thread.start()

    def remove(self, namespace: str, job: str, *, foreground: bool) -> None:
        """End a Job's pods and remove it; with `foreground` it is there until they are gone."""
        if not foreground:
            self._store.remove("jobs", namespace, job)
        pods, _ = self._store.list("pods", namespace, f"job-name={job}")
        for pod in pods:
            name = pod["metadata"]["name"]
            self._store.change("pods", namespace, name, metadata={"deletionTimestamp": now()})
            self._end(namespace, name)
            self._store.remove("pods", namespace, name)
        self._store.remove("jobs", namespace, job)

    def container(self, namespace: str, pod: str, name: str) -> Container | None:
        """Return a running container."""
        with self._lock:
            return self._containers.get((namespace, pod), {}).get(name)

    def execute(
        self, place: tuple[str, str], container: Container, argv: list[str], link: Websocket, protocol: str
    ) -> None:
        """Run a process in a container for a client, with the faults that are due."""
        process = container.execute(argv, has_input=True)
        if self._is_due(self._faults.cut_on, argv):
            self._later(link.cut)
        elif self._is_due(self._faults.lost_node_on, argv):
            self._lose(place, link, process)
        elif self._is_due(self._faults.evicted_on, argv):
            self._store.change(
                "pods",
                *place,
                status={
                    "phase": "Failed",
                    "reason": "Evicted",
                    "message": "The node was low on resource: memory.",
                },
            )
            self._end(*place)
        elif self._is_due(self._faults.out_of_memory_on, argv):
            self._later(container.kill)
        with process:
            carry(process, link, protocol)

    def close(self) -> None:
        """End everything."""
        self._over.set()
        with self._lock:
            left = list(self._containers)
            threads = list(self._threads)
        for namespace, name in left:
            self._end(namespace, name)
        for thread in threads:
            thread.join(10)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _later(self, act: Callable[[], None]) -> None:
        """Have something happen while a process is carried."""

        def wait() -> None:
            if not self._over.wait(self._faults.after_s):
                act()

        threading.Thread(target=wait, name="cluster-fault", daemon=True).start()

    def _is_due(self, word: str, argv: list[str]) -> bool:
        return bool(word) and any(word in part for part in argv)

    def _lose(self, place: tuple[str, str], link: Websocket, process: subprocess.Popen[bytes]) -> None:
        """Have a node fall silent: what runs there says no more, and the cluster notices after a while."""
        condition = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "DeletionByTaintManager",
            "message": "Taint manager: deleting due to NoExecute taint",
        }
        self._store.change("pods", *place, status={"conditions": [condition]})
        for _ in link.messages():
            pass
        process.kill()

    def _work(self, job: Json) -> None:
        """Make a Job's pod and run it to its end."""
        namespace, job_name = job["metadata"]["namespace"], job["metadata"]["name"]
        if self._faults.quota:
            self._warn(job, "FailedCreate", self._faults.quota)
            return
        name = f"{job_name}-{uuid.uuid4().hex[:5]}"
        template = job["spec"]["template"]
        labels = {**template["metadata"]["labels"], "job-name": job_name}
        pod = self._store.add(
            "pods",
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": name, "namespace": namespace, "labels": labels},
                "spec": template["spec"],
                "status": {"phase": "Pending"},
            },
        )
        assert pod is not None
        if not self._start(pod):
            return
        deadline = time.monotonic() + job["spec"]["activeDeadlineSeconds"]
        while (containers := self._running(namespace, name)) and time.monotonic() < deadline:
            ended = {c.name: code for c in containers.values() if (code := c.ended()) is not None}
            if ended:
                self._store.change("pods", namespace, name, status=self._ended(ended, pod))
                self._end(namespace, name)
                break
            time.sleep(_POLL_S)
        else:
            if containers:
                status = {"phase": "Failed", "reason": "DeadlineExceeded"}
                self._store.change("pods", namespace, name, status=status)
                self._end(namespace, name)
        self._keep_for_a_while(job)

    def _start(self, pod: Json) -> bool:
        """Start a pod's containers; return whether they run."""
        namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        names = [spec["name"] for spec in pod["spec"]["containers"]]
        faults = self._faults
        if faults.unschedulable:
            condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
            condition["message"] = faults.unschedulable
            self._store.change("pods", namespace, name, status={"conditions": [condition]})
            return False
        self._over.wait(faults.start_s)
        reason, message = faults.waiting
        if reason:
            waiting = {"waiting": {"reason": reason, "message": message}}
            self._store.change("pods", namespace, name, status=_status("Pending", names, waiting))
            return False
        try:
            containers = self._containers_of(pod)
        except (OSError, RuntimeError):
            if self._is_unwanted(namespace, name):
                return False
            raise
        with self._lock:
            self._containers[namespace, name] = containers
        running = _status("Running", names, {"running": {"startedAt": now()}})
        self._store.change("pods", namespace, name, status=running)
        if self._is_unwanted(namespace, name):
            self._end(namespace, name)
            return False
        return True

    def _is_unwanted(self, namespace: str, name: str) -> bool:
        """Return whether a pod was deleted while it started, or the cluster closed."""
        found = self._store.get("pods", namespace, name)
        return self._over.is_set() or found is None or "deletionTimestamp" in found["metadata"]

    def _containers_of(self, pod: Json) -> dict[str, Container]:
        folder = self._folder / pod["metadata"]["name"]
        volumes: dict[str, Path] = {}
        for volume in pod["spec"]["volumes"]:
            volumes[volume["name"]] = folder / "volumes" / volume["name"]
            volumes[volume["name"]].mkdir(parents=True)
            # As a kubelet makes them.
            volumes[volume["name"]].chmod(0o777)
        host, port = self._address
        told = {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": str(port)}
        return {
            spec["name"]: Container(spec, Ground(folder / spec["name"], volumes, told, self._faults.is_open))
            for spec in pod["spec"]["containers"]
        }

    def _running(self, namespace: str, name: str) -> dict[str, Container]:
        with self._lock:
            return dict(self._containers.get((namespace, name), {}))

    def _end(self, namespace: str, name: str) -> None:
        with self._lock:
            containers = self._containers.pop((namespace, name), {})
        for container in containers.values():
            container.kill()
        shutil.rmtree(self._folder / name, ignore_errors=True)

    def _ended(self, ended: dict[str, int], pod: Json) -> Json:
        """Return the status of a pod whose first processes ended so."""
        reason = "OOMKilled" if self._faults.out_of_memory_on else "Error"
        statuses = []
        for spec in pod["spec"]["containers"]:
            code = ended.get(spec["name"])
            state: Json = {"running": {}}
            if code is not None:
                state = {"terminated": {"exitCode": 128 - code if code < 0 else code, "reason": reason}}
            statuses.append({"name": spec["name"], "state": state})
        return {"phase": "Failed", "containerStatuses": statuses}

    def _warn(self, job: Json, reason: str, message: str) -> None:
        namespace = job["metadata"]["namespace"]
        self._store.add(
            "events",
            {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": {"name": uuid.uuid4().hex, "namespace": namespace},
                "involvedObject": {"kind": "Job", "name": job["metadata"]["name"]},
                "type": "Warning",
                "reason": reason,
                "message": message,
            },
        )

    def _keep_for_a_while(self, job: Json) -> None:
        """Remove a finished Job once nobody has for its time."""
        namespace, name = job["metadata"]["namespace"], job["metadata"]["name"]

        def remove() -> None:
            with contextlib.suppress(KeyError):
                self.remove(namespace, name, foreground=False)

        timer = threading.Timer(job["spec"]["ttlSecondsAfterFinished"], remove)
        timer.daemon = True
        timer.start()


def _status(phase: str, names: list[str], state: Json) -> Json:
    statuses = [{"name": name, "ready": phase == "Running", "state": state} for name in names]
    return {"phase": phase, "containerStatuses": statuses}
