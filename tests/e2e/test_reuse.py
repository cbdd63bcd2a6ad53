"""Nothing is embedded twice: what a repository that the credential may see holds is used again."""

from pathlib import Path

from scripts.local_git import commit_all, git
from scripts.local_service import Organization
from tests.e2e.conftest import MakeRepository, write_files
from tests.e2e.indexing import index_here

FILES = {
    "till.py": "class Till:\n    def open(self):\n        return 'drawer'\n",
    "prices.py": "def price_of(item):\n    return item.price * 2\n",
}


def embedded(organization: Organization, repository: Path, project: str) -> tuple[int, int]:
    """Index; chunks embedded and reused."""
    report = index_here(organization, repository, project)
    assert report["embedded"] + report["reused"] == report["chunks"]
    return report["embedded"], report["reused"]


def test_a_rename_that_keeps_the_stem_and_a_revert_embed_nothing(
    examples: Organization, make_repository: MakeRepository
) -> None:
    mine = examples.service.organization("moving")
    shop = make_repository("shop", FILES)
    made, reused = embedded(mine, shop, "shop")
    assert made > 0
    assert reused == 0

    (shop / "lib").mkdir()
    git(shop, "mv", "till.py", "lib/till.py")
    commit_all(shop, "Move")
    moved, reused = embedded(mine, shop, "shop")
    assert moved == 0
    assert reused > 0

    write_files(shop, {"prices.py": "def price_of(item):\n    return item.price * 3\n"})
    commit_all(shop, "Triple")
    assert embedded(mine, shop, "shop") == (1, 0)
    git(shop, "revert", "--no-edit", "HEAD")
    assert embedded(mine, shop, "shop") == (0, 1)
    assert mine.search("price of an item")["results"][0]["file"] == "prices.py"


def test_a_copy_costs_nothing_in_the_organisation_and_all_elsewhere(
    examples: Organization, make_repository: MakeRepository
) -> None:
    blue = examples.service.organization("blue")
    shop = make_repository("shop", FILES)
    made, _ = embedded(blue, shop, "shop")
    assert embedded(blue, shop, "copy") == (0, made)

    green = examples.service.organization("green")
    assert embedded(green, shop, "shop") == (made, 0)


def test_a_repository_that_the_credential_may_not_see_lends_nothing(
    examples: Organization, make_repository: MakeRepository
) -> None:
    service = examples.service
    red = service.organization("red")
    made, _ = embedded(red, make_repository("secret", FILES), "secret")
    other = make_repository("other", {"own.txt": "only here\n"})
    index_here(red, other, "other")
    token = service.manage(
        "create_token", "--organization", "red", "--scopes", "index", "--repositories", "other"
    ).stdout.strip()
    narrow = Organization(service, "red", token)
    write_files(other, FILES)
    commit_all(other, "The same files")
    assert embedded(narrow, other, "other") == (made, 0)
