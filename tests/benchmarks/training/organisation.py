"""A small repository whose definitions are documented, as a work tree."""

from pathlib import Path

from scripts.local_git import commit_all, new_repository

TOPICS = {
    "ledger": ("open_balance", "Adds up what every account of the ledger holds at midnight."),
    "gossip": ("spread_rumour", "Tells three random neighbours about the newest block seen."),
    "quorum": ("count_votes", "Waits until enough members have signed the same proposal."),
    "escrow": ("release_funds", "Pays the seller once both parties have confirmed delivery."),
}


def organisation_repository(directory: Path, copies: int = 6) -> Path:
    """`copies` files of each topic, one documented function each; the sentences all differ."""
    new_repository(directory)
    for topic, (name, sentence) in TOPICS.items():
        for number in range(copies):
            described = sentence.replace(".", f" in region {number}.")
            source = (
                f"def {name}_{number}({topic}, members):\n"
                f'    """{described}"""\n'
                f"    found = [{topic}.lookup(member) for member in members]\n"
                f"    return {topic}.finish(found, {number})\n"
            )
            (directory / f"{topic}_{number}.py").write_text(source, encoding="utf-8")
    commit_all(directory, "Documented functions")
    return directory
