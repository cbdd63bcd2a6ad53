"""The format's own crate reads what is exported; `cargo` fetches and builds it once."""

import os
import subprocess
from pathlib import Path

import pytest

from central.tenancy.credentials import Credential
from central.trace.scip.export import export_scip
from scripts.local_service import ROOT
from tests.central.trace.corpus import organization_of, pyproject, repository

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.system("cargo"),
    pytest.mark.timeout(600),
]
CHECKER = Path(__file__).parent / "checker"
ODD = {
    "pyproject.toml": pyproject("acme-odd", "acme-auth"),
    "acme_odd/main.py": """
    from acme_auth import Base, verify

    class Ünïcode(Base):
        def go(self):
            def inner(): verify()
            inner()
    """,
    "web/a b.ts": """
    export class Panel { constructor() {} get size() { return 1; } "odd name"() {} }
    export const table = { open: () => new Panel() };
    """,
    "lib/shop.rb": "class Cart\n  def add!; end\n  def ==(other); add!; end\nend\n",
    "src/vec.cpp": "struct Vec { Vec operator+(const Vec& v); void operator()(); ~Vec(); };\n",
    "go/x.go": "package x\n\ntype T struct{}\n\nfunc (t T) M() { t.M() }\n",
    "Methods.java": "package a.b; class Methods { Methods() {} void m() {} void m(int i) {} }\n",
    "notes.md": "# A title with `code` and spaces\n\n## Another one\n",
}


def test_the_crate_reads_an_index_and_every_symbol_of_it(tmp_path: Path) -> None:
    auth = "class Base:\n    def go(self): ...\n\ndef verify(): ...\n"
    repository("auth", {"pyproject.toml": pyproject("acme-auth"), "acme_auth/__init__.py": auth})
    repository("odd", ODD)
    credential = Credential(organization_of(), frozenset({"search"}), None, None)
    _, parts = export_scip(credential=credential, project="odd")
    (tmp_path / "index.scip").write_bytes(b"".join(parts))
    done = subprocess.run(
        ["cargo", "run", "--quiet", "--locked", "--", str(tmp_path / "index.scip")],
        cwd=CHECKER,
        env={**os.environ, "CARGO_TARGET_DIR": str(ROOT / "build" / "scip-checker")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    documents, definitions, others, external = map(int, done.stdout.split())
    assert (documents, external) == (len(ODD), 2)
    assert definitions > 15
    assert others >= 6
