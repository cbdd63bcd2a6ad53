"""Questions for the callers of a name, which a trace answers and a search does not. Pure."""

import re
from typing import Final

_USES: Final = r"(?:calls?|uses?|invokes?|references|imports?|depends on|is (?:calling|using))"
_LISTED: Final = r"(?:callers?|usages?|uses|references|call ?sites)"
_USED: Final = r"(?:called|used|invoked|referenced|imported)"
_NAME: Final = r"[^\W\d][\w$]{0,200}(?:(?:\.|::|#|->)[^\W\d][\w$]{0,200}){0,10}"
_QUESTION: Final = re.compile(
    rf"(?:(?:who|what|which \w{{1,30}}) (?:all )?{_USES}"
    rf"|(?:(?:find|show|list) )?(?:(?:all|the|every) ){{0,2}}{_LISTED} (?:of|to)"
    r"|(?P<where>where (?:is|are)))"
    rf"(?: the (?:function|method|class))? [`'\"]?(?P<name>{_NAME})(?:\(\))?[`'\"]?"
    rf"(?P<used> {_USED}(?: from)?)?\s*\??",
    re.IGNORECASE,
)


def called_name(text: str) -> str:
    """Return the name whose callers a question asks for, "" if it asks for something else."""
    found = _QUESTION.fullmatch(text)
    if found is None or bool(found["where"]) is not bool(found["used"]):
        return ""
    return re.sub(r"::|#|->", ".", found["name"])
