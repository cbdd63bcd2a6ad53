"""Swift. `queries/swift.trace.scm` matches imports and references."""

from typing import Final

from indexer.languages.base import ExportRule, Language, grammar, names
from indexer.languages.import_style import NAMESPACE
from indexer.languages.rewrites import blanked, replaced
from indexer.records.manifests import Ecosystem

_BUILTINS: Final = names("""
    Any AnyObject Never Void Self Bool Character Double Float Int Int8 Int16 Int32 Int64
    String Substring UInt UInt8 UInt16 UInt32 UInt64 Unicode Array ArraySlice
    ContiguousArray Dictionary Set Optional Range ClosedRange Result Error
    AnyHashable AnyIterator AnySequence Collection Sequence IteratorProtocol
    BidirectionalCollection RandomAccessCollection MutableCollection
    RangeReplaceableCollection LazySequence Comparable Equatable Hashable Identifiable
    Sendable Codable Decodable Encodable Decoder Encoder CodingKey CaseIterable
    CustomDebugStringConvertible CustomStringConvertible ExpressibleByArrayLiteral
    ExpressibleByBooleanLiteral ExpressibleByDictionaryLiteral
    ExpressibleByIntegerLiteral ExpressibleByNilLiteral ExpressibleByStringLiteral
    LosslessStringConvertible OptionSet RawRepresentable Strideable Numeric
    SignedInteger BinaryInteger FixedWidthInteger FloatingPoint BinaryFloatingPoint
    KeyPath WritableKeyPath ReferenceWritableKeyPath ObjectIdentifier Mirror Task
    TaskGroup AsyncSequence AsyncStream AsyncThrowingStream Actor MainActor
    CheckedContinuation UnsafePointer UnsafeMutablePointer UnsafeRawPointer
    UnsafeMutableRawPointer UnsafeBufferPointer available discardableResult escaping
    autoclosure objc inlinable usableFromInline main propertyWrapper resultBuilder
    dynamicMemberLookup frozen testable preconcurrency _exported _spi abs assert
    assertionFailure debugPrint defer dump fatalError isKnownUniquelyReferenced max min
    numericCast precondition
    preconditionFailure print readLine repeatElement sequence stride swap type
    unsafeBitCast unsafeDowncast withCheckedContinuation
    withCheckedThrowingContinuation withExtendedLifetime withTaskGroup
    withThrowingTaskGroup withUnsafeBytes withUnsafePointer zip super self init
""")

_REWRITES: Final = (
    replaced(rb"(?<![\w.])(_read|borrow)(?=\s*\{)", b"get"),
    replaced(rb"(?<![\w.])(_modify|mutate)(?=\s*\{)", b"set"),
    blanked(rb"\{\s*(yield[ \t]+&?|&)(?=[\w(])"),
    blanked(rb"(?:^|[;{])[ \t]*(then)[ \t]+(?=[\w\"(.])"),
)

SWIFT: Final = Language(
    "swift",
    grammar("swift"),
    version=2,
    rewrites=_REWRITES,
    linguist=("Swift",),
    suffixes=(".swift",),
    interpreters=("swift",),
    ecosystem=Ecosystem.SWIFTPM,
    import_style=NAMESPACE,
    export_rule=ExportRule.EXPLICIT,
    self_names=names("self"),
    class_names=names("Self"),
    super_names=names("super"),
    constructor_names=names("init"),
    implicit_names=names("error newValue oldValue"),
    builtins=_BUILTINS,
    literal_types={'"': "String", "0": "Int", "0.0": "Double", "[": "Array"},
    prefix_operators="!-+~&",
    call_member="callAsFunction",
    implicit_this=True,
    package_visible_types=True,
)
LANGUAGES: Final = (SWIFT,)
