"""C#. `queries/c_sharp.trace.scm` matches imports and references."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from indexer.languages.base import Containers, ExportRule, Language, grammar, names
from indexer.languages.conditionals import CONDITIONALS_OF_CSHARP
from indexer.languages.import_style import NAMESPACE
from indexer.languages.rewrites import Edit, Rewrite, blank, blanked, closing, occurrences, replaced
from indexer.records.manifests import Ecosystem

_BUILTINS: Final = names("""
    bool byte char decimal double dynamic float int long nint nuint object sbyte short
    string uint ulong ushort void nameof typeof sizeof default Obsolete Serializable
    Flags AttributeUsage Conditional ThreadStatic CallerMemberName CallerFilePath
    CallerLineNumber Boolean Byte Char DateOnly DateTime DateTimeOffset DBNull Decimal
    Double Guid Int16 Int32 Int64 IntPtr Object SByte Single String TimeOnly TimeSpan
    UInt16 UInt32 UInt64 Uri Version Array Attribute BitConverter Buffer Console Convert
    Delegate Enum Environment EventArgs GC Lazy Math MathF Nullable Random StringComparer
    StringComparison Tuple Type ValueTuple Action Func Predicate Comparison EventHandler
    IDisposable IAsyncDisposable IComparable IEquatable IFormatProvider IFormattable
    IEnumerable IEnumerator ICollection IList IDictionary IReadOnlyList
    IReadOnlyCollection IReadOnlyDictionary ISet List Dictionary HashSet Queue Stack
    LinkedList SortedDictionary SortedList SortedSet KeyValuePair Span ReadOnlySpan
    Memory ReadOnlyMemory Task ValueTask StringBuilder CancellationToken
    CancellationTokenSource Exception AggregateException ApplicationException
    ArgumentException ArgumentNullException ArgumentOutOfRangeException
    ArithmeticException ArrayTypeMismatchException DivideByZeroException FormatException
    IndexOutOfRangeException InvalidCastException InvalidOperationException
    KeyNotFoundException NotImplementedException NotSupportedException
    NullReferenceException ObjectDisposedException OperationCanceledException
    OutOfMemoryException OverflowException PlatformNotSupportedException
    StackOverflowException SystemException TaskCanceledException TimeoutException
    UnauthorizedAccessException base this
""")

_CONTAINERS: Final = Containers("""
    IEnumerable ICollection IReadOnlyCollection ISet HashSet SortedSet Queue Stack IQueryable:
        *=0 First.()=0 FirstOrDefault.()=0 Single.()=0 SingleOrDefault.()=0 Where.().*=0
    List IList IReadOnlyList:
        []=0 *=0 First.()=0 FirstOrDefault.()=0 Find.()=0 Where.().*=0
    Dictionary IDictionary IReadOnlyDictionary SortedDictionary ConcurrentDictionary:
        []=1 Values.*=1 Keys.*=0 *.Key=0 *.Value=1
    KeyValuePair: Key=0 Value=1
    Lazy Nullable: Value=0
    Action Predicate: (0)=0 (1)=1 (2)=2 (3)=3
    Func: (0)=0 (1)=1 (2)=2 (3)=3 ()=-1
""")

_EXTENSION: Final = re.compile(
    rb"extension(?<![\w.@]extension)(?:[ \t]*<[^<>(){};]{1,200}>)?\s{0,200}(?=\()"
)
_EXTENSION_BODY: Final = re.compile(rb"\s{0,200}(?:where\b[^{};]{1,500})?\{")


def _extension_blocks(source: bytes) -> Iterator[Sequence[Edit]]:
    """Write `extension(T name) { … }` as a class that the queries know by its name.

    The grammar reads the block as a constructor, and its members as local functions.
    """
    for found in occurrences(_EXTENSION, source):
        end = closing(source, found.end())
        if end >= 0 and _EXTENSION_BODY.match(source, end):
            edits = [Edit(found.start(), b"class __x")]
            if _is_nameless(source[found.end() + 1 : end - 1]):
                edits.append(blank(source, found.end(), end))
            yield edits


def _is_nameless(parameter: bytes) -> bool:
    """Whether a parameter has a type alone: nothing is behind it, outside of `<…>`."""
    depth = 0
    outside = bytearray()
    for sign in parameter:
        depth += (sign == ord("<")) - (sign == ord(">"))
        if not depth and sign != ord(">"):
            outside.append(sign)
    return len(outside.split()) == 1


_REWRITES: Final = (
    Rewrite(_extension_blocks, always=True),
    CONDITIONALS_OF_CSHARP,
    replaced(
        rb"(\?)\.(?=[\w.?]{1,200}+(?:\[[^][\n]{1,200}\])?[ \t]*(?:[-+*/%&|^]|<<|>>|\?\?)?=[^=>])",
        b" ",
    ),
    blanked(
        rb"\([ \t]*(?:\w+[ \t]*,[ \t]*){0,9}((?:out|ref|in|scoped)[ \t]+)"
        rb"(?=\w+[ \t]*(?:,[\w \t,]{1,200})?\)[ \t]*=>)"
    ),
    blanked(rb"\boperator[ \t]*(?:checked[ \t]+)?(?:[-+*/%&|^]|<<|>>)(=)[ \t]*\("),
    blanked(rb"[:,]\s*(allows[ \t]+ref[ \t]+)struct\b"),
    replaced(rb"^(#:)", b"//"),
    replaced(rb"\bfrom[ \t]+(_)[ \t]+in\b", b"x"),
)

CSHARP: Final = Language(
    "csharp",
    grammar("c_sharp"),
    version=2,
    rewrites=_REWRITES,
    linguist=("C#",),
    suffixes=(".cs", ".csx"),
    ecosystem=Ecosystem.NUGET,
    import_style=NAMESPACE,
    export_rule=ExportRule.EXPLICIT,
    self_names=names("this"),
    super_names=names("base"),
    constructor_calls=names("this base"),
    implicit_names=names("value"),
    inferred_type_keywords=names("var"),
    wrapper_types=names("Task ValueTask"),
    containers=_CONTAINERS,
    builtins=_BUILTINS,
    literal_types={'"': "string", "'": "char", "0": "int", "0.0": "double"},
    has_conditionals=True,
    implicit_this=True,
    free_functions=False,
    separate_type_namespace=True,
    package_visible_types=True,
)
LANGUAGES: Final = (CSHARP,)
