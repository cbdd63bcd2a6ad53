"""What an index of SCIP says of a repository: definitions, references and relationships."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from central.corpus.models import File
from central.repositories.models import Repository
from central.trace.scip import documents
from central.trace.stored.follower import CallEdges
from indexer.scip.documents import check_document, read_document
from indexer.scip.reading import IndexFile
from indexer.scip.scip_pb2 import Definition, Document, Index, Occurrence
from tests.central.protocol import Api, api_of
from tests.central.trace.corpus import COMMIT, change_files, organization_of, pyproject, repository

Export = Callable[..., Index]
AUTH = "scip-python python acme-auth 1.0.0 `acme_auth.api`/"
PAY = "scip-python python acme-pay 2.0.0 `acme_pay.main`/"


@pytest.fixture(autouse=True)
def repositories() -> None:
    repository(
        "auth",
        {
            "pyproject.toml": pyproject("acme-auth"),
            "acme_auth/api.py": """
            class Checker:
                def check(self): ...

            class Strict(Checker):
                def check(self):
                    def verify(): ...
                    verify()

            def verify(token):
                return Checker().check()
            """,
            "acme_auth/image.bin": "",
        },
    )
    repository(
        "pay",
        {
            "pyproject.toml": pyproject("acme-pay", "acme-auth==1.0.0", version="2.0.0"),
            "acme_pay/main.py": """
            from acme_auth.api import Strict, verify

            class Mine(Strict): ...

            def pay(): return "é", verify("verify")
            """,
        },
    )


@pytest.fixture
def answer() -> Callable[..., Any]:
    """GET /api/v1/trace/scip of a project."""

    def answer(project: str, *, api: Api | None = None, **query: str) -> Any:
        asked = api or api_of(organization_of())
        return asked.client.get(
            "/api/v1/trace/scip",
            {"org_id": "acme", "project": project, **query},
            headers={"Authorization": f"Bearer {asked.token}"},
        )

    return answer


@pytest.fixture
def export(answer: Callable[..., Any]) -> Export:
    """The index of a project; it is the same with and without stored edges."""

    def export(project: str, **options: Any) -> Index:
        live = b"".join(answer(project, **options).streaming_content)
        while CallEdges().update(organization_of().pk):
            pass
        stored = b"".join(answer(project, **options).streaming_content)
        assert stored == live
        return Index.FromString(stored)

    return export


def document(index: Index, path: str) -> Document:
    [found] = [one for one in index.documents if one.relative_path == path]
    return found


def shown(occurrences: Iterator[Occurrence] | Any) -> list[str]:
    """`line:column-end symbol`, with `=` before the symbol of a definition; 0-based."""
    return [
        f"{one.range[0]}:{one.range[1]}-{one.range[2]} "
        f"{'=' if one.symbol_roles & Definition else ''}{one.symbol}"
        for one in occurrences
    ]


def test_a_document_has_definitions_and_what_references_surely_mean(export: Export) -> None:
    api = document(export("auth"), "acme_auth/api.py")
    assert shown(api.occurrences) == [
        f"1:6-13 ={AUTH}Checker#",
        f"2:8-13 ={AUTH}Checker#check().",
        f"4:6-12 ={AUTH}Strict#",
        f"4:13-20 {AUTH}Checker#",
        f"5:8-13 ={AUTH}Strict#check().",
        f"6:12-18 ={AUTH}Strict#verify().",
        f"7:8-14 {AUTH}Strict#verify().",
        f"9:4-10 ={AUTH}verify().",
        f"10:11-18 {AUTH}Checker#",
        f"10:21-26 {AUTH}Checker#check().",  # not what overrides it
    ]
    assert (api.language, api.position_encoding) == ("Python", 3)
    assert list(api.occurrences[1].enclosing_range) == [2, 0, 24]
    [strict] = [one for one in api.symbols if one.symbol == f"{AUTH}Strict#"]
    assert (strict.kind, strict.display_name) == (7, "Strict")
    assert strict.documentation == ["class Strict(Checker)"]
    assert [one.symbol for one in strict.relationships] == [f"{AUTH}Checker#"]
    assert strict.relationships[0].is_implementation


def test_references_into_another_repository_have_its_package_and_version(export: Export) -> None:
    index = export("pay")
    main = document(index, "acme_pay/main.py")
    assert shown(main.occurrences) == [
        f"3:6-10 ={PAY}Mine#",
        f"3:11-17 {AUTH}Strict#",
        f"5:4-7 ={PAY}pay().",
        f"5:23-29 {AUTH}verify().",  # in characters, and not the string
    ]
    [mine] = [one for one in main.symbols if one.display_name == "Mine"]
    assert [one.symbol for one in mine.relationships] == [f"{AUTH}Strict#"]
    external = {one.symbol: one.documentation[0] for one in index.external_symbols}
    assert external == {
        f"{AUTH}Strict#": "class Strict(Checker)",
        f"{AUTH}verify().": "def verify(token)",
    }


def test_a_reference_that_may_mean_several_definitions_names_none(export: Export) -> None:
    repository(
        "pay",
        {
            "acme_pay/main.py": """
            from acme_auth.api import Checker as Kind, Strict, verify

            def pay(strictly):
                one = Kind()
                if strictly:
                    one = Strict()
                one.check()

            def other():
                mine = verify
                mine()
            """,
        },
    )
    main = document(export("pay"), "acme_pay/main.py")
    assert shown(main.occurrences) == [
        f"3:4-7 ={PAY}pay().",
        f"4:10-14 {AUTH}Checker#",  # as the import calls it
        f"6:14-20 {AUTH}Strict#",
        f"9:4-9 ={PAY}other().",
    ]  # `check` is of either class, and `mine` a variable


def test_a_token_that_does_not_see_a_repository_exports_nothing_of_it(
    answer: Callable[..., Any],
) -> None:
    limited = api_of(organization_of(), repositories=["pay"])
    index = Index.FromString(b"".join(answer("pay", api=limited).streaming_content))
    main = document(index, "acme_pay/main.py")
    assert shown(main.occurrences) == [f"3:6-10 ={PAY}Mine#", f"5:4-7 ={PAY}pay()."]
    assert b"acme-auth 1" not in index.SerializeToString()
    hidden, unknown = answer("auth", api=limited), answer("no-such", api=limited)
    assert hidden.json()["code"] == unknown.json()["code"] == "repository_not_found"


def test_the_metadata_say_which_commit_it_is_of(answer: Callable[..., Any]) -> None:
    response = answer("auth")
    index = Index.FromString(b"".join(response.streaming_content))
    assert index.metadata.tool_info.name == "aeterna-code-search"
    assert list(index.metadata.tool_info.arguments) == ["project=auth", f"commit={COMMIT}"]
    assert index.metadata.project_root == "file:///auth"
    assert response["X-Indexed-Commit"] == COMMIT
    assert [one.relative_path for one in index.documents] == [
        "acme_auth/api.py",
        "acme_auth/image.bin",
        "pyproject.toml",
    ]
    moved = answer("auth", project_root="file:///src/auth")
    index = Index.FromString(b"".join(moved.streaming_content))
    assert index.metadata.project_root == "file:///src/auth"
    assert answer("auth", project_root="/src/auth").json()["code"] == "invalid"


def test_the_indexer_reads_what_is_exported(export: Export, tmp_path: Path) -> None:
    (tmp_path / "index.scip").write_bytes(export("pay").SerializeToString())
    text = File.objects.get(path="acme_pay/main.py").content
    with IndexFile(tmp_path / "index.scip", "index.scip") as index:
        documents = [read_document(data, index.head) for data in index.documents()]
    [main] = [one for one in documents if one.path == "acme_pay/main.py"]
    checked = check_document(main, path=main.path, blob="b" * 40, text=text)
    assert len(checked.definitions) == len(checked.references) == 2
    assert len(checked.relationships) == 1


def test_portions_are_one_index(export: Export, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = export("auth")
    monkeypatch.setattr(documents, "SCIP_EXPORT_FILES", 1)
    assert export("auth") == whole


def test_an_export_ends_without_its_end_if_the_repository_is_indexed_meanwhile(
    answer: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "SCIP_EXPORT_FILES", 1)
    parts = iter(answer("auth").streaming_content)
    next(parts), next(parts)
    change_files(Repository.objects.get(name="auth"), {"acme_auth/api.py": "def other(): ..."})
    with pytest.raises(Exception, match="indexed while it was exported"):
        b"".join(parts)


def test_a_repository_without_an_index_says_so(answer: Callable[..., Any]) -> None:
    Repository.objects.filter(name="auth").update(generation=0)
    refused = answer("auth")
    assert (refused.status_code, refused.json()["code"]) == (404, "never_indexed")
