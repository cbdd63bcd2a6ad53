"""The types of a language that repositories add members to, and what each of them is besides.

Only of languages with extension members. A member that is added to one of its other types is a
member of a value, too: `CharSequence.shout()` of a `String`. Two names of one type name each other.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from indexer.records.manifests import Ecosystem


def _read(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Parse lines of types, a colon, and the other types of each."""
    for line in text.strip().splitlines():
        types, _, others = line.partition(":")
        for type_ in types.split():
            yield type_, frozenset(others.split())


_JVM: Final = """
    String: CharSequence Comparable
    CharSequence Comparable Number Throwable Regex Pair Triple Lazy Comparator Enum Annotation:
    Boolean Char: Comparable
    Byte Short Int Long Float Double UByte UShort UInt ULong BigDecimal BigInt: Number Comparable
    StringBuilder: CharSequence
    Array BooleanArray ByteArray CharArray DoubleArray FloatArray IntArray LongArray ShortArray:
    Iterable Iterator Sequence Function Stream Option Either Unit Ordering Map:
    Collection: Iterable
    List Seq IndexedSeq Vector LazyList: Collection Iterable Seq
    Set: Collection Iterable
    MutableList ArrayList: List MutableCollection MutableIterable Collection Iterable
    MutableSet HashSet LinkedHashSet: Set MutableCollection MutableIterable Collection Iterable
    MutableMap HashMap LinkedHashMap: Map MutableMap
    MutableCollection ArrayDeque: MutableIterable Collection Iterable
    MutableIterable: Iterable
    MutableIterator: Iterator
    IntRange LongRange CharRange Range: Iterable
    Some: Option
    Left Right: Either
    Exception Error: Throwable
    RuntimeException IllegalArgumentException IllegalStateException: Exception Throwable
    IndexOutOfBoundsException NoSuchElementException: RuntimeException Exception Throwable
    NullPointerException NumberFormatException: RuntimeException Exception Throwable
    UnsupportedOperationException: RuntimeException Exception Throwable
"""
_NET: Final = """
    string: String IEnumerable IComparable IEquatable
    String: string IEnumerable IComparable IEquatable
    bool: Boolean
    Boolean: bool
    byte: Byte IComparable IFormattable
    Byte: byte IComparable IFormattable
    char: Char IComparable
    Char: char IComparable
    decimal: Decimal IComparable IFormattable
    Decimal: decimal IComparable IFormattable
    double: Double IComparable IFormattable
    Double: double IComparable IFormattable
    float: Single IComparable IFormattable
    Single: float IComparable IFormattable
    short: Int16 IComparable IFormattable
    Int16: short IComparable IFormattable
    int: Int32 IComparable IFormattable
    Int32: int IComparable IFormattable
    long: Int64 IComparable IFormattable
    Int64: long IComparable IFormattable
    uint: UInt32 IComparable IFormattable
    UInt32: uint IComparable IFormattable
    ulong: UInt64 IComparable IFormattable
    UInt64: ulong IComparable IFormattable
    nint nuint sbyte SByte ushort UInt16: IComparable IFormattable
    DateTime DateTimeOffset DateOnly TimeOnly TimeSpan Guid: IComparable IFormattable IEquatable
    IEnumerable IEnumerator IDisposable IAsyncDisposable IComparable IEquatable IFormattable:
    IFormatProvider Delegate Action Func Predicate Comparison EventHandler Enum Type Attribute:
    Uri Version StringBuilder Random Lazy Task ValueTask Tuple ValueTuple Span ReadOnlySpan:
    Memory ReadOnlyMemory CancellationToken KeyValuePair Nullable EventArgs:
    ICollection IReadOnlyCollection Array Queue Stack: IEnumerable ICollection
    IList: ICollection IEnumerable
    IReadOnlyList: IReadOnlyCollection IEnumerable
    ISet: ICollection IEnumerable
    IDictionary: ICollection IEnumerable
    IReadOnlyDictionary: IReadOnlyCollection IEnumerable
    List: IList IReadOnlyList ICollection IReadOnlyCollection IEnumerable
    HashSet SortedSet: ISet ICollection IReadOnlyCollection IEnumerable
    LinkedList: ICollection IReadOnlyCollection IEnumerable
    Dictionary SortedDictionary SortedList: IDictionary IReadOnlyDictionary ICollection IEnumerable
    CancellationTokenSource: IDisposable
    Exception:
    AggregateException ApplicationException ArgumentException FormatException: Exception
    ArgumentNullException ArgumentOutOfRangeException: ArgumentException Exception
    InvalidOperationException NotSupportedException TimeoutException SystemException: Exception
    OperationCanceledException UnauthorizedAccessException KeyNotFoundException: Exception
"""
_SWIFT: Final = """
    String Substring: StringProtocol Collection Sequence Comparable Hashable Equatable
    Character Bool: Comparable Hashable Equatable
    Int Int8 Int16 Int32 Int64: BinaryInteger FixedWidthInteger SignedInteger Numeric Comparable
    UInt UInt8 UInt16 UInt32 UInt64: BinaryInteger FixedWidthInteger Numeric Comparable
    Double Float: BinaryFloatingPoint FloatingPoint Numeric Comparable
    Array ArraySlice ContiguousArray: MutableCollection RandomAccessCollection Collection Sequence
    Dictionary: Collection Sequence
    Set: Collection Sequence
    Range ClosedRange: Collection Sequence
    Optional Result Error Task Unicode Never AnyHashable Mirror ObjectIdentifier KeyPath:
    Collection RandomAccessCollection BidirectionalCollection MutableCollection: Sequence
    RangeReplaceableCollection LazySequence AnySequence: Collection Sequence
    Sequence IteratorProtocol Comparable Equatable Hashable Identifiable Numeric:
    BinaryInteger FixedWidthInteger SignedInteger: Numeric Comparable
    FloatingPoint BinaryFloatingPoint: Numeric Comparable
    Decoder Encoder Decodable Encodable Codable OptionSet CaseIterable RawRepresentable:
    AsyncSequence AsyncStream AsyncThrowingStream: AsyncSequence
"""
_RUST: Final = """
    String: str
    str char bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64:
    Vec:
"""
_RUBY: Final = """
    Integer Float Rational Complex: Numeric Comparable
    Numeric: Comparable
    String: Comparable
    Array Hash Range Struct: Enumerable
    Symbol NilClass TrueClass FalseClass Proc Method Regexp Time Date Exception Enumerator:
"""
BUILTIN_TYPES: Final[Mapping[str, Mapping[str, frozenset[str]]]] = {
    Ecosystem.MAVEN: dict(_read(_JVM)),
    Ecosystem.NUGET: dict(_read(_NET)),
    Ecosystem.SWIFTPM: dict(_read(_SWIFT)),
    Ecosystem.CARGO: dict(_read(_RUST)),
    Ecosystem.RUBYGEMS: dict(_read(_RUBY)),
}
# Every value is one of these.
UNIVERSAL_TYPES: Final = frozenset({"Any", "AnyRef", "object", "Object"})


def is_builtin_type(ecosystem: str, name: str) -> bool:
    """Whether the language has a type of this name that members may be added to."""
    return name in BUILTIN_TYPES.get(ecosystem, {})


def other_types(ecosystem: str, name: str) -> frozenset[str]:
    """Return what else a value of this type of the language is."""
    return BUILTIN_TYPES.get(ecosystem, {}).get(name, frozenset())


def types_within(ecosystem: str, name: str) -> list[str]:
    """Return the types of the language whose values are of this type, too."""
    types = BUILTIN_TYPES.get(ecosystem, {})
    return [type_ for type_, others in types.items() if name in others]
