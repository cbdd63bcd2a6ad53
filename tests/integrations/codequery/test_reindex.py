"""Incremental indexing: what is uploaded, moved and deleted; killed, doubled and refused."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from aeterna_code_search.integrations.codequery.discovery import DiscoveredFiles
from aeterna_code_search.integrations.codequery.hashes import local_files
from aeterna_code_search.integrations.codequery.retry import Deadline
from tests.integrations.codequery.conftest import Ask
from tests.integrations.codequery.openai_server import Fault, Server, Trouble
from tests.waiting import wait_until

_CALL = """
import json, sys
from pathlib import Path
from aeterna_code_search.integrations.codequery import CodeQuery
environ, directory, parameters = json.loads(sys.argv[1])
print(json.dumps(CodeQuery(parameters, environ=environ, directory=Path(directory))))
"""


@contextmanager
def start(
    environ: Mapping[str, str], directory: Path, **parameters: Any
) -> Iterator[subprocess.Popen[str]]:
    """A call in a process of its own, which ends with the test."""
    arguments = json.dumps([environ, str(directory), {"query": "verify_token", **parameters}])
    with subprocess.Popen(
        [sys.executable, "-c", _CALL, arguments], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def answer_of(process: subprocess.Popen[str]) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(process.communicate(timeout=60)[0])
    return answer


def is_like(server: Server, store_id: str, checkout: Path) -> bool:
    """Whether the store has just the checkout's files, each once, and no other file is left."""
    local = {
        path.relative_to(checkout).as_posix(): path.read_bytes()
        for path in checkout.rglob("*")
        if path.is_file()
    }
    files = server.stores[store_id]["files"]
    return (
        server.contents(store_id) == local
        and len(files) == len(local)
        and server.files.keys() == files.keys()
    )


def test_t_cq_hash_01_hash_change_triggers_upload(ask: Ask, server: Server, checkout: Path) -> None:
    """FR-CQ-10, FR-CQ-11."""
    store_id = ask()["vector_store_id"]
    before = server.paths(store_id)
    (checkout / "src/tokens.py").write_text("def verify_token(token): return token == 2\n")
    server.uploaded.clear()
    answer = ask()
    assert (answer["indexed_count"], answer["skipped_count"]) == (1, 1)
    assert server.uploaded == [("src__tokens.py", b"def verify_token(token): return token == 2\n")]
    after = server.paths(store_id)
    assert after["src/tokens.py"] != before["src/tokens.py"]
    assert after["src/login.go"] == before["src/login.go"]
    assert is_like(server, store_id, checkout)


def test_t_cq_hash_02_unchanged_file_is_skipped(ask: Ask, server: Server, checkout: Path) -> None:
    """NFR-CQ-PERF-02."""
    assert ask()["indexed_count"] == 2
    server.requests.clear()
    os.utime(checkout / "src/tokens.py", (1, 1))  # another time, the same content
    answer = ask()
    assert (answer["indexed_count"], answer["skipped_count"], answer["deleted_count"]) == (0, 2, 0)
    assert not [one for one in server.requests if one.startswith(("POST /f", "DELETE"))]


def test_it_cq_inc_01_delete_file_removes_entry_from_store(
    ask: Ask, server: Server, checkout: Path
) -> None:
    store_id = ask()["vector_store_id"]
    (checkout / "src/login.go").unlink()
    answer = ask()
    assert (answer["deleted_count"], answer["indexed_count"], answer["skipped_count"]) == (1, 0, 1)
    assert is_like(server, store_id, checkout)


def test_a_moved_file_is_not_uploaded_again(ask: Ask, server: Server, checkout: Path) -> None:
    store_id = ask()["vector_store_id"]
    (checkout / "src/tokens.py").rename(checkout / "auth.py")
    server.uploaded.clear()
    answer = ask(include_results=True)
    assert (answer["moved_count"], answer["indexed_count"], answer["deleted_count"]) == (1, 0, 0)
    assert answer["results"][0]["file_path"] == "auth.py"
    assert server.uploaded == []
    assert is_like(server, store_id, checkout)


def test_other_people_s_files_stay_and_second_ones_of_ours_go(
    ask: Ask, server: Server, checkout: Path
) -> None:
    store_id = server.add_store("shared")
    theirs = [
        server.add_file(store_id, b"their notes", None),
        server.add_file(store_id, b"their notes", {"path": "src/tokens.py"}),
        server.add_file(store_id, b"theirs", {"path": "../../x", "hash": "0" * 64}),
        server.add_file(store_id, b"theirs", {"path": "/etc/x", "hash": "0" * 64}),
        server.add_file(store_id, b"theirs", {"path": "report.pdf", "hash": "md5"}),
        server.add_file(store_id, b"their notes", {"author": "somebody", "hash": 5}),
    ]
    for _ in range(2):
        server.add_file(store_id, b"old", {"path": "src/tokens.py", "hash": "0" * 64})
    assert ask(vector_store_id=store_id)["indexed_count"] == 2
    left = server.stores[store_id]["files"]
    assert left.keys() >= set(theirs)
    assert len(left) == len(theirs) + 2


def test_named_files_are_indexed_and_others_left_as_they_are(
    ask: Ask, server: Server, checkout: Path
) -> None:
    store_id = ask()["vector_store_id"]
    (checkout / "src/tokens.py").write_text("def verify_token(): return 3\n")
    (checkout / "src/login.go").write_text("package changed\n")
    before = server.paths(store_id)
    answer = ask(file_paths=["src/tokens.py", str(checkout / "src/absent.py")])
    assert (answer["indexed_count"], answer["deleted_count"]) == (1, 0)
    assert answer["failures"] == [{"path": "src/absent.py", "error": "the file does not exist"}]
    assert server.paths(store_id)["src/login.go"] == before["src/login.go"]
    (checkout / "src/login.go").unlink()
    assert ask(file_paths=["src/login.go"])["deleted_count"] == 1
    assert is_like(server, store_id, checkout)


def test_none_of_the_named_files_is_there(ask: Ask, server: Server) -> None:
    answer = ask(file_paths=["absent.py"])
    assert answer["error"]["code"] == "no_files"
    assert server.count("POST", "/responses") == 0


def test_files_of_any_kind_of_code_are_taken_as_text(
    ask: Ask, server: Server, checkout: Path
) -> None:
    (checkout / "main.rs").write_text("fn main() {}\n")
    (checkout / "Makefile").write_text("all:\n")
    answer = ask()
    assert "failures" not in answer
    assert {name for name, _ in server.uploaded} == {
        "src__tokens.py", "src__login.go", "main.rs.txt", "Makefile.txt",
    }  # fmt: skip


def test_no_more_uploads_at_once_than_allowed(ask: Ask, server: Server, checkout: Path) -> None:
    """FR-CQ-12."""
    for number in range(4):
        (checkout / f"file{number}.py").write_text(f"{number}\n")
    server.upload_barrier = threading.Barrier(3)  # so many there are at once
    assert ask(concurrent_limit=3)["indexed_count"] == 6
    assert server.most_uploads_at_once == 3


# Failures


def test_a_file_that_fails_is_told_and_the_others_are_indexed(
    ask: Ask, server: Server, checkout: Path
) -> None:
    """NFR-CQ-REL-01."""
    server.faults = [Fault(Trouble.INVALID, "POST", "/files")]
    answer = ask(concurrent_limit=1)
    assert answer["status"] == "ok"
    assert answer["indexed_count"] == 1
    assert [one["path"] for one in answer["failures"]] == ["src/login.go"]
    assert "HTTP 400" in answer["failures"][0]["error"]
    assert ask()["indexed_count"] == 1
    assert is_like(server, answer["vector_store_id"], checkout)


def test_an_upload_that_fails_leaves_the_old_version(
    ask: Ask, server: Server, checkout: Path
) -> None:
    store_id = ask()["vector_store_id"]
    before = server.contents(store_id)
    (checkout / "src/tokens.py").write_text("def verify_token(): return 3\n")
    server.faults = [Fault(Trouble.INVALID, "POST", "/files")]
    assert len(ask()["failures"]) == 1
    assert server.contents(store_id) == before


def test_a_file_that_the_service_cannot_read_is_told_and_not_uploaded_for_ever(
    ask: Ask, server: Server, checkout: Path
) -> None:
    server.unreadable = {"src__login.go": "unsupported_file"}
    for uploads in (2, 2):
        answer = ask()
        assert [one["path"] for one in answer["failures"]] == ["src/login.go"]
        assert "unsupported_file" in answer["failures"][0]["error"]
        assert len(server.uploaded) == uploads


def test_a_file_that_the_service_failed_to_read_is_tried_again_next_time(
    ask: Ask, server: Server, checkout: Path
) -> None:
    server.unreadable = {"src__login.go": "server_error"}
    assert ask()["indexed_count"] == 1
    server.unreadable = {}
    answer = ask()
    assert (answer["indexed_count"], answer.get("failures")) == (1, None)
    assert is_like(server, answer["vector_store_id"], checkout)


def test_if_every_file_fails_there_is_an_error(ask: Ask, server: Server) -> None:
    server.faults = [Fault(Trouble.INVALID, "POST", "/files", 9)]
    answer = ask()
    assert answer["error"]["code"] == "indexing_failed"
    assert server.count("POST", "/responses") == 0


# Interrupted, and at once


@pytest.mark.parametrize(
    ("method", "path", "done"),
    [
        ("POST", "/files", 0), ("POST", "/files", 1), ("POST", "/vector_stores/.*/files", 1),
        ("DELETE", "/vector_stores", 0), ("DELETE", "/files", 0),
    ],
)  # fmt: skip
def test_a_call_that_is_killed_is_repaired_by_the_next(
    environ: Mapping[str, str],
    ask: Ask,
    server: Server,
    checkout: Path,
    method: str,
    path: str,
    done: int,
) -> None:
    """Killed when it asks for a step; `done` steps of the kind are over by then."""
    store_id = ask()["vector_store_id"]
    (checkout / "src/tokens.py").write_text("def verify_token(): return 3\n")
    (checkout / "src/new.py").write_text("new\n")
    (checkout / "src/newer.py").write_text("newer\n")
    (checkout / "src/login.go").unlink()
    server.requests.clear()
    server.halt_at = (method, path, done)
    with start(environ, checkout, concurrent_limit=1) as process:
        wait_until(server.halted.is_set, "it came so far")
        os.kill(process.pid, signal.SIGKILL)
    server.halt_at = None
    server.let_go.set()
    answer = ask()
    assert answer["status"] == "ok"
    assert "failures" not in answer
    assert is_like(server, store_id, checkout)


def test_two_processes_at_once_make_one_store_and_upload_once(
    environ: Mapping[str, str], server: Server, checkout: Path
) -> None:
    with start(environ, checkout) as one, start(environ, checkout) as other:
        answers = [answer_of(one), answer_of(other)]
    assert [one["status"] for one in answers] == ["ok", "ok"]
    assert sorted(one["indexed_count"] for one in answers) == [0, 2]
    assert len(server.stores) == 1
    assert is_like(server, answers[0]["vector_store_id"], checkout)


def test_while_a_store_is_being_made_nobody_makes_another_of_its_name(
    environ: Mapping[str, str], ask: Ask, server: Server, checkout: Path
) -> None:
    server.faults = [Fault(Trouble.SLOW, "POST", "/vector_stores")]
    with start(environ, checkout):
        wait_until(lambda: server.count("POST", "/vector_stores") == 1, "it makes a store")
        answer = ask(timeout_ms=1_000)
    assert answer["error"]["code"] == "store_busy"
    assert server.count("POST", "/vector_stores") == 1
    assert ask()["status"] == "ok"  # the lock went with its process


def test_who_waits_for_another_process_too_long_says_so(
    environ: Mapping[str, str], ask: Ask, server: Server, checkout: Path
) -> None:
    server.upload_gate = threading.Event()
    with start(environ, checkout) as process:
        wait_until(lambda: bool(server.uploads_at_once), "it uploads")
        answer = ask(timeout_ms=1_000)
        server.upload_gate.set()
        assert answer_of(process)["indexed_count"] == 2
    assert answer["error"]["code"] == "store_busy"
    assert "another process is indexing" in answer["error"]["message"]
    assert ask()["skipped_count"] == 2


# Hashes that are kept


def test_a_settled_file_is_not_read_again_and_a_changed_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "aeterna_code_search.integrations.codequery.hashes._SETTLED_NS", -1_000_000_000
    )
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("a")
    (root / "b.py").write_text("b")
    reads: list[str] = []
    from aeterna_code_search.integrations.codequery import hashes

    read = hashes.read_inside
    monkeypatch.setattr(hashes, "read_inside", lambda *at: (reads.append(at[1]), read(*at))[1])

    def hashed() -> dict[str, Any]:
        found = DiscoveredFiles()
        for path in ("a.py", "b.py"):
            found.add(path, (root / path).stat())
        return local_files(root, found, tmp_path / "kept.json", Deadline(60_000))

    first = hashed()
    assert reads == ["a.py", "b.py"]
    assert hashed() == first
    assert reads == ["a.py", "b.py"]
    times = (root / "a.py").stat()
    (root / "a.py").write_text("c")
    os.utime(root / "a.py", ns=(times.st_atime_ns, times.st_mtime_ns))  # its ctime tells
    assert hashed()["a.py"] != first["a.py"]
    assert reads == ["a.py", "b.py", "a.py"]
    (tmp_path / "kept.json").write_text('{"rules": "')
    assert hashed()["b.py"] == first["b.py"]
