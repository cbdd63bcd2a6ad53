"""Nothing is embedded twice: what a repository that the credential may see holds is used again."""

from pathlib import Path

from scripts.local_git import commit_all, git
from scripts.local_service import Organization, Service
from tests.e2e.conftest import MakeRepository, write_files

FILES = {
    "till.py": "class Till:\n    def open(self):\n        return 'drawer'\n",
    "prices.py": "def price_of(item):\n    return item.price * 2\n",
}


def embedded(acme: Organization, repository: Path, project: str) -> tuple[int, int]:
    """Index; chunks embedded and reused."""
    report = acme.index(repository, project)
    assert report["embedded"] + report["reused"] == report["chunks"]
    return report["embedded"], report["reused"]


def test_a_rename_that_keeps_the_stem_and_a_revert_embed_nothing(
    acme: Organization, make_repository: MakeRepository
) -> None:
    shop = make_repository("shop", FILES)
    made, reused = embedded(acme, shop, "shop")
    assert made > 0
    assert reused == 0

    (shop / "lib").mkdir()
    git(shop, "mv", "till.py", "lib/till.py")
    commit_all(shop, "Move")
    moved, reused = embedded(acme, shop, "shop")
    assert moved == 0
    assert reused > 0

    write_files(shop, {"prices.py": "def price_of(item):\n    return item.price * 3\n"})
    commit_all(shop, "Triple")
    assert embedded(acme, shop, "shop") == (1, 0)
    git(shop, "revert", "--no-edit", "HEAD")
    assert embedded(acme, shop, "shop") == (0, 1)
    assert acme.search("price of an item")["results"][0]["file"] == "prices.py"


def test_a_copy_costs_nothing_in_the_organisation_and_all_elsewhere(
    service: Service, make_repository: MakeRepository
) -> None:
    blue = Organization(service, "blue", service.create_organization("blue"))
    shop = make_repository("shop", FILES)
    made, _ = embedded(blue, shop, "shop")
    assert embedded(blue, shop, "copy") == (0, made)

    green = Organization(service, "green", service.create_organization("green"))
    assert embedded(green, shop, "shop") == (made, 0)


def test_a_repository_that_the_credential_may_not_see_lends_nothing(
    service: Service, make_repository: MakeRepository
) -> None:
    red = Organization(service, "red", service.create_organization("red"))
    made, _ = embedded(red, make_repository("secret", FILES), "secret")
    other = make_repository("other", {"own.txt": "only here\n"})
    red.index(other, "other")
    token = service.manage(
        "create_token", "--organization", "red", "--scopes", "index", "--repositories", "other"
    ).stdout.strip()
    narrow = Organization(service, "red", token)
    write_files(other, FILES)
    commit_all(other, "The same files")
    assert embedded(narrow, other, "other") == (made, 0)
