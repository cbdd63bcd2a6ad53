"""Texts of many kinds, to fit and to check the estimate of tokens, and the tests' table."""

import base64
import json
import random
import re
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from aeterna_code_search.agents import tokens
from benchmarks.agents.fitting import Sample, fit, write
from benchmarks.agents.tokenizer import Tokenizer
from tests.agents.token_kinds import TABLE, texts_by_kind

SUFFIXES: Final = frozenset(
    (
        *(".py", ".go", ".rs", ".ts", ".tsx", ".js", ".java", ".scala", ".rb", ".php", ".cc", ".h"),
        *(".ex", ".exs", ".swift", ".cs", ".c", ".kt", ".html", ".css", ".sql", ".md", ".adoc"),
        *(".json", ".yml", ".yaml", ".toml", ".xml", ".po"),
    )
)
FILES_OF_A_KIND: Final = 60  # of a directory
CHARACTERS, PARTS = 6_000, 4  # of a sample, of a file
LEAST_CHARACTERS: Final = 400
GENERATED: Final = 40
_CJK: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_CJK_SHARE: Final = 0.03
_TRANSLATED: Final = re.compile(r'^msgstr.*?"(.*)"\n((?:".*"\n)*)', re.MULTILINE)
_LANGUAGES: Final = {"zh_Hans": 2.0, "ja": 2.0, "ko": 2.0}  # others count less
_OTHER_LANGUAGE: Final = 0.3
_CODE: Final = 3.0
_RANDOM: Final = 20.0  # base64, whose pieces are like no other's


def fit_costs(directories: Sequence[Path], tokenizer: Tokenizer) -> None:
    """Fit to one half of the files, write token_costs.json, and print the other half's error."""
    known = list(samples(directories))
    chosen = [sample for name, sample in known if _is_fitted(name)]
    table = fit(chosen, tokenizer.count)
    tokens.COSTS.write_text(write(table), encoding="ascii")
    tokens.reload_costs()
    checked = [sample for name, sample in known if not _is_fitted(name)]
    print(f"{len(chosen)} samples fitted, {len(checked)} checked")
    by_kind: dict[str, list[float]] = defaultdict(list)
    counts = tokenizer.count([sample.text for sample in checked])
    for sample, count in zip(checked, counts, strict=True):
        by_kind[sample.kind].append(tokens.estimate_tokens(sample.text) / count)
    for kind, over in sorted(by_kind.items()):
        mean = sum(over) / len(over)
        print(f"{kind:14} {len(over):4}  {min(over):.3f}  {mean:.3f}  {max(over):.3f}")
    every = sorted(ratio for over in by_kind.values() for ratio in over)
    below = sum(ratio < 1 for ratio in every)
    above = sum(ratio > 1.15 for ratio in every)
    print(f"below their count: {below}, more than 15 % above it: {above}, of {len(every)}")


def count(tokenizer: Tokenizer) -> None:
    """Write the tests' table: the digest of each kind's text, and its tokens."""
    texts = texts_by_kind()
    counts = tokenizer.count(list(texts.values()))
    rows = {
        kind: {"sha256": sha256(text.encode()).hexdigest(), "tokens": tokens_of}
        for (kind, text), tokens_of in zip(texts.items(), counts, strict=True)
    }
    lines = ",\n".join(f"{json.dumps(kind)}: {json.dumps(row)}" for kind, row in rows.items())
    TABLE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def samples(directories: Iterable[Path]) -> Iterator[tuple[str, Sample]]:
    """Yield each sample with the name of its file, by which it is fitted or checked."""
    for directory in directories:
        yield from _of_files(directory)
    draw = random.Random(1)  # noqa: S311 (no secret)
    for kind, text in _GENERATORS.items():
        for number in range(GENERATED):
            weight = _RANDOM if kind.startswith("base64") else _CODE
            yield f"{kind}{number}", Sample(kind, text(draw), weight)


def _is_fitted(name: str) -> bool:
    return sha256(name.encode()).digest()[0] % 2 == 0


def _of_files(directory: Path) -> Iterator[tuple[str, Sample]]:
    found: dict[str, int] = defaultdict(int)
    files = [path for path in directory.rglob("*") if path.suffix in SUFFIXES and path.is_file()]
    for path in sorted(files, key=lambda path: sha256(path.name.encode()).digest()):
        group = path.parts[-3] if path.suffix == ".po" else path.suffix
        if found[group] >= FILES_OF_A_KIND:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):
            continue
        if path.suffix == ".po":
            text = _translations(text)
        found[group] += 1
        for start in range(0, min(len(text), CHARACTERS * PARTS), CHARACTERS):
            part = text[start : start + CHARACTERS]
            if len(part) >= LEAST_CHARACTERS:
                yield str(path.relative_to(directory)), _sample(path, part)


def _sample(path: Path, text: str) -> Sample:
    if path.suffix == ".po":
        language = path.parts[-3]
        return Sample(f"text {language}", text, _LANGUAGES.get(language, _OTHER_LANGUAGE))
    is_cjk = len(_CJK.findall(text)) > _CJK_SHARE * len(text)
    # Most that agents read of a file has numbers.
    shown = numbered(text) if sha256(text.encode()).digest()[1] % 4 else text
    return Sample(f"{path.suffix}{' CJK' if is_cjk else ''}", shown, _CODE)


def numbered(text: str) -> str:
    """Return lines as `code_read_file` shows them."""
    lines = enumerate(text.split("\n"), start=1)
    return "\n".join(f"    {number}: {line}".rstrip() for number, line in lines)


def _translations(text: str) -> str:
    lines = (first + more.replace('"\n"', "") for first, more in _TRANSLATED.findall(text))
    return "\n".join(filter(None, lines))


def _rows(draw: random.Random) -> str:
    return "\n".join(
        ",".join(f"{draw.gauss(0, 10 ** draw.randint(0, 6)):.3f}" for _ in range(8))
        for _ in range(60)
    )


_GENERATORS: Final[Mapping[str, Callable[[random.Random], str]]] = {
    "base64": lambda draw: base64.b64encode(draw.randbytes(3_000)).decode(),
    "base64 url": lambda draw: base64.urlsafe_b64encode(draw.randbytes(3_000)).decode(),
    "hex": lambda draw: draw.randbytes(2_500).hex(),
    "HEX": lambda draw: draw.randbytes(2_500).hex().upper(),
    "digests": lambda draw: "\n".join(f"{draw.randbytes(20).hex()}  a/{n}" for n in range(60)),
    "bytes": lambda draw: ", ".join(f"0x{byte:02x}" for byte in draw.randbytes(700)),
    "numbers": _rows,
    "UUIDs": lambda draw: json.dumps(
        [str(uuid.UUID(bytes=draw.randbytes(16))) for _ in range(100)]
    ),
}
