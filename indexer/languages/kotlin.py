"""Kotlin. `queries/kotlin.trace.scm` matches imports and references."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from indexer.languages.base import Containers, Language, grammar, names
from indexer.languages.rewrites import (
    Edit,
    Rewrite,
    blanked,
    blanked_brackets,
    occurrences,
    replaced,
    type_arguments_blanked,
)
from indexer.records.manifests import Ecosystem

_BUILTINS: Final = names("""
    Any Unit Nothing Boolean Byte Short Int Long Float Double Char String Number UByte
    UShort UInt ULong CharSequence Comparable Enum Annotation Throwable Exception Error
    RuntimeException IllegalArgumentException IllegalStateException
    IndexOutOfBoundsException NoSuchElementException NullPointerException
    NumberFormatException UnsupportedOperationException ClassCastException
    ConcurrentModificationException ArithmeticException AssertionError
    NotImplementedError Array BooleanArray ByteArray CharArray DoubleArray FloatArray
    IntArray LongArray ShortArray List Set Map Collection Iterable Iterator Sequence
    MutableList MutableSet MutableMap MutableCollection MutableIterable MutableIterator
    ArrayList HashMap HashSet LinkedHashMap LinkedHashSet ArrayDeque Pair Triple Result
    Regex StringBuilder Lazy Function IntRange LongRange CharRange Comparator Deprecated
    JvmStatic JvmOverloads JvmField JvmName JvmInline Throws Suppress OptIn Override
    Synchronized Volatile Transient PublishedApi DslMarker
    ReplaceWith arrayOf arrayOfNulls
    booleanArrayOf byteArrayOf charArrayOf doubleArrayOf floatArrayOf intArrayOf
    longArrayOf shortArrayOf emptyArray listOf listOfNotNull mutableListOf emptyList
    arrayListOf setOf setOfNotNull mutableSetOf emptySet hashSetOf linkedSetOf mapOf
    mutableMapOf emptyMap hashMapOf linkedMapOf sequenceOf emptySequence sequence
    buildList buildMap buildSet buildString compareBy compareByDescending compareValues
    compareValuesBy maxOf minOf print println readLine readln require requireNotNull
    check checkNotNull error assert run runCatching let also apply with takeIf
    takeUnless repeat lazy lazyOf synchronized use to TODO super this
""")

_DOLLAR_STRING: Final = re.compile(
    rb'(?<!\$)(\$\$+)(?:"""(?P<raw>(?:[^"]|"(?!"")){0,65536})"""|"(?P<line>(?:[^"\\\n]|\\.)*)")'
)
_DOLLARS: Final = re.compile(rb"\$+")


def _dollar_strings(source: bytes) -> Iterator[Sequence[Edit]]:
    """Write strings with a prefix of n dollars, in which n dollars begin an interpolation."""
    for found in occurrences(_DOLLAR_STRING, source):
        prefix, *others = found.regs[1:]
        start, end = next(span for span in others if span[0] >= 0)
        count = prefix[1] - prefix[0]
        edits = [Edit(prefix[0], b" " * count)]
        for dollars in _DOLLARS.finditer(source, start, end):
            kept = b"$" if dollars.end() - dollars.start() >= count else b" "
            edits.append(Edit(dollars.start(), kept.rjust(dollars.end() - dollars.start())))
        yield edits


_CONTAINERS: Final = Containers("""
    Iterable Collection Set MutableSet MutableCollection Sequence ArrayDeque Flow:
        *=0 first.()=0 firstOrNull.()=0 filter.().*=0
    List MutableList ArrayList Array:
        []=0 *=0 get.()=0 first.()=0 firstOrNull.()=0 filter.().*=0
    Map MutableMap HashMap LinkedHashMap:
        []=1 get.()=1 getValue.()=1 getOrPut.()=1 values.*=1 keys.*=0 *.0=0 *.1=1 *.key=0 *.value=1
    Lazy StateFlow MutableStateFlow: value=0
""")

# A condition of a branch, before its guard: one that a line begins with.
_GUARDED: Final = rb"(?:^|[{;])[ \t]*(?![ \t]|else\b|if\b)[^\n{};=]{1,200}?\s{1,100}"
# Of a primary constructor on the line after the class's name; a comment keeps both together.
_CONSTRUCTOR_MODIFIERS: Final = (
    rb"\bclass[ \t]+\w+[ \t]*(?:<[^{}()]{1,500}>)?[ \t]*(?://[^\n]*)?\r?\n\s{0,100}"
    rb"((?:(?:private|internal|protected|public|actual|expect)[ \t]+){1,3})(?=constructor\b)"
)
_REWRITES: Final = (
    replaced(_CONSTRUCTOR_MODIFIERS, b"/**/"),
    type_arguments_blanked(rb"[\w.?*<>,\s]", before=rb"[ \t]?[({]"),
    blanked_brackets(  # context parameters of a declaration
        rb"(?<![.\w])(context[ \t]*\()",
        rb"\s*(?:@[^\n]{0,200}\n\s*)?(?:(?:public|private|internal|protected|inline|suspend|open|"
        rb"override|abstract|final|operator|infix|tailrec|external|actual|expect|lateinit|const)\s+)"
        rb"{0,8}(?:fun|val|var|class|interface|object|context|@)\b",
    ),
    blanked_brackets(rb"(?<![.\w])(context[ \t]*\()", rb"\s*[(\w]"),  # of a function's type
    blanked(rb"\b(else\s+if)\b(?=[^\n{}]{1,200}->)"),
    replaced(_GUARDED + rb"(if)\b(?=[^\n{}]{1,200}->)", b","),
    Rewrite(_dollar_strings),
    replaced(rb"@(all):", b"get"),
    blanked(rb"^[ \t]+(field)[ \t]*="),
    blanked(rb"^[ \t]+(@[\w.:]{1,100}(?:\([^()\n]{0,200}\))?)\s{1,100}(?=[gs]et\()"),
    replaced(
        rb"^[ \t]+(final|open|inline|external|suspend|public|private|internal)[ \t]*=(?!=)", b"x"
    ),
    replaced(
        rb"(\(val )[ \w]+(?:,\s*(val)\s+\w+)?(?:,\s*(val)\s+\w+)?\)\s*=(?!=)", b"val(", b"", b""
    ),
    blanked(rb"\b(fun)[ \t]+interface\b"),
    replaced(rb"\b(?:class|interface|object)\b[^{}\n]{0,200}\{[^{}\n]{0,200}\S([ \t])\}", b";"),
)

KOTLIN: Final = Language(
    "kotlin",
    grammar("kotlin"),
    version=2,
    rewrites=_REWRITES,
    linguist=("Kotlin",),
    suffixes=(".kt", ".kts"),
    interpreters=("kotlin",),
    ecosystem=Ecosystem.MAVEN,
    self_names=names("this"),
    super_names=names("super"),
    constructor_calls=names("this super"),
    implicit_names=names("it"),
    containers=_CONTAINERS,
    builtins=_BUILTINS,
    literal_types={'"': "String", "'": "Char", "0": "Int", "0.0": "Double"},
    prefix_operators="!-+~&",
    call_member="invoke",
    constructed_keyword="class",
    same_methods=names("also apply takeIf takeUnless"),
    implicit_receivers=True,
    type_parameters_in_paths=False,
    implicit_this=True,
    extension_methods=True,
    package_visible_types=True,
    package_visible_functions=True,
)
LANGUAGES: Final = (KOTLIN,)
