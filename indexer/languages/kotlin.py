"""Kotlin. `queries/kotlin.trace.scm` matches imports and references."""

from typing import Final

from indexer.languages.base import Language, grammar, names
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

KOTLIN: Final = Language(
    "kotlin",
    grammar("kotlin"),
    version=2,
    suffixes=(".kt", ".kts"),
    interpreters=("kotlin",),
    ecosystem=Ecosystem.MAVEN,
    self_names=names("this"),
    super_names=names("super"),
    implicit_names=names("it"),
    builtins=_BUILTINS,
    literal_types={'"': "String", "'": "Char", "0": "Int", "0.0": "Double"},
    implicit_this=True,
    extension_methods=True,
    package_visible_types=True,
)
LANGUAGES: Final = (KOTLIN,)
