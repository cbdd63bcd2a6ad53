"""Sentences with codes: services write them for programs, pages say the same in other words."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Self

from indexer.output.terminal import first_names

_Part = tuple[str, str, Mapping[str, object]]  # code, template and parameters


class Sentence(str):
    """The text for programs, with what it was made of."""

    parts: tuple[_Part, ...]

    @classmethod
    def of(cls, code: str, template: str, **parameters: object) -> Self:
        """Fill a template. The code is stable, and names what the template says."""
        return cls._made((code, template, parameters))

    @classmethod
    def joined(cls, sentences: Iterable[str]) -> Self:
        """Put sentences one behind the other; a plain one stays as it is."""
        return cls._made(
            *(
                part
                for sentence in sentences
                for part in (
                    sentence.parts if isinstance(sentence, Sentence) else [_plain(sentence)]
                )
            )
        )

    @classmethod
    def _made(cls, *parts: _Part) -> Self:
        sentence = cls(_text(parts, {}))
        sentence.parts = parts
        return sentence

    def in_words(self, templates: Mapping[str, str]) -> str:
        """Return the text with the templates that are given for its codes."""
        return _text(self.parts, templates)


def _plain(text: str) -> _Part:
    return "", "{text}", {"text": text}


def _text(parts: Iterable[_Part], templates: Mapping[str, str]) -> str:
    return " ".join(
        templates.get(code, template).format(**parameters) for code, template, parameters in parts
    )


def similar_names(unknown: Iterable[str], known: Mapping[str, str]) -> str:
    """Return a sentence, after a space, with the known names that resemble unknown ones, else "".

    `known` has them by what is compared, in lower case.
    """
    near = [
        known[alike] for name in unknown for alike in get_close_matches(name.lower(), known, n=3)
    ]
    return f" Near names: {first_names(list(dict.fromkeys(near)))}." if near else ""
