"""C#. `queries/c_sharp.trace.scm` matches imports and references."""

from typing import Final

from indexer.languages.base import ExportRule, Language, grammar, names
from indexer.languages.import_style import NAMESPACE
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

CSHARP: Final = Language(
    "csharp",
    grammar("c_sharp"),
    version=2,
    suffixes=(".cs", ".csx"),
    ecosystem=Ecosystem.NUGET,
    import_style=NAMESPACE,
    export_rule=ExportRule.EXPLICIT,
    self_names=names("this"),
    super_names=names("base"),
    implicit_names=names("value"),
    inferred_type_keywords=names("var"),
    wrapper_types=names("Task ValueTask"),
    builtins=_BUILTINS,
    literal_types={'"': "string", "'": "char", "0": "int", "0.0": "double"},
    implicit_this=True,
    free_functions=False,
    separate_type_namespace=True,
    package_visible_types=True,
)
LANGUAGES: Final = (CSHARP,)
