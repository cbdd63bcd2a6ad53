"""What checkouts are called in the embedded service."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from aeterna_code_search.client.target import projects
from aeterna_code_search.client.target.projects import project_of

local_project = partial(projects.local_project, notify=lambda _: None)


def checkout(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


def test_a_checkout_has_its_repositorys_name_again_and_again(tmp_path: Path) -> None:
    shop = checkout(tmp_path / "shop")
    assert [local_project(tmp_path / "data", shop, "shop") for _ in range(2)] == ["shop", "shop"]


def test_a_second_checkout_of_the_same_name_gets_one_of_its_own(tmp_path: Path) -> None:
    first, second, third = (checkout(tmp_path / name / "shop") for name in "abc")
    data = tmp_path / "data"
    names = [local_project(data, root, "shop") for root in (first, second, third)]
    assert names == ["shop", "shop-2", "shop-3"]
    assert local_project(data, second, "shop") == "shop-2"


def test_a_second_checkout_is_told_its_name_once(tmp_path: Path) -> None:
    first, second = (checkout(tmp_path / name / "shop") for name in "ab")
    said: list[str] = []
    for root in (first, second, second):
        projects.local_project(tmp_path / "data", root, "shop", notify=said.append)
    assert said == [
        f"This checkout is indexed as shop-2: shop is that of {first}. To name it otherwise, set "
        "project in [server] of .codesearch.toml."
    ]


def test_a_name_whose_checkout_is_gone_is_free_but_for_those_that_have_one(tmp_path: Path) -> None:
    first, second, third = (checkout(tmp_path / name / "shop") for name in "abc")
    data = tmp_path / "data"
    for root in (first, second):
        local_project(data, root, "shop")
    first.rmdir()
    assert local_project(data, second, "shop") == "shop-2"
    assert local_project(data, third, "shop") == "shop"


def test_a_checkout_may_be_called_otherwise_later(tmp_path: Path) -> None:
    shop, data = checkout(tmp_path / "shop"), tmp_path / "data"
    assert local_project(data, shop, "shop") == "shop"
    assert local_project(data, shop, "store") == "store"
    assert local_project(data, shop, "shop") == "shop"


def test_commands_at_once_agree(tmp_path: Path) -> None:
    roots = [checkout(tmp_path / str(number) / "shop") for number in range(8)]
    data = tmp_path / "data"
    with ThreadPoolExecutor(8) as pool:
        names = list(pool.map(lambda root: local_project(data, root, "shop"), roots))
    assert len(set(names)) == 8
    assert names == [local_project(data, root, "shop") for root in roots]


def test_who_only_asks_is_told_the_same_name_and_claims_none(tmp_path: Path) -> None:
    first, second = (checkout(tmp_path / name / "shop") for name in "ab")
    data = tmp_path / "data"
    assert project_of(data, first, "shop") == "shop"
    assert not data.exists()
    local_project(data, first, "shop")
    assert [project_of(data, root, "shop") for root in (first, second)] == ["shop", "shop-2"]
    assert local_project(data, second, "other") == "other"


@pytest.mark.parametrize("content", [b"", b'{\n "shop": "/a', b"[1]", b"\xff"])
def test_after_damage_each_checkout_claims_its_name_anew(content: bytes, tmp_path: Path) -> None:
    shop, data = checkout(tmp_path / "shop"), tmp_path / "data"
    local_project(data, shop, "shop")
    (data / "projects.json").write_bytes(content)
    assert local_project(data, shop, "shop") == "shop"
    assert project_of(data, shop, "shop") == "shop"
