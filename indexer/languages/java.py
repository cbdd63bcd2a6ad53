"""Java. `queries/java.trace.scm` matches imports and references."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from indexer.languages.base import Containers, ExportRule, Language, grammar, names
from indexer.languages.rewrites import Edit, Rewrite, blanked, occurrences
from indexer.records.manifests import Ecosystem

_BUILTINS: Final = names("""
    boolean byte char double float int long short void Object String StringBuilder
    StringBuffer CharSequence Comparable Iterable Runnable AutoCloseable Cloneable
    Appendable Readable Record Enum Class ClassLoader ClassValue Module ModuleLayer
    Package Process ProcessBuilder ProcessHandle Runtime RuntimePermission System Thread
    ThreadGroup ThreadLocal InheritableThreadLocal Throwable StackTraceElement
    StackWalker StrictMath Math Boolean Byte Character Double Float Integer Long Number
    Short Void Override Deprecated SuppressWarnings FunctionalInterface SafeVarargs
    Exception RuntimeException Error ArithmeticException ArrayIndexOutOfBoundsException
    ArrayStoreException AssertionError ClassCastException ClassNotFoundException
    CloneNotSupportedException ExceptionInInitializerError IllegalAccessException
    IllegalArgumentException IllegalCallerException IllegalMonitorStateException
    IllegalStateException IllegalThreadStateException IncompatibleClassChangeError
    IndexOutOfBoundsException InstantiationException InterruptedException LinkageError
    NegativeArraySizeException NoClassDefFoundError NoSuchFieldException
    NoSuchMethodException NullPointerException NumberFormatException OutOfMemoryError
    ReflectiveOperationException SecurityException StackOverflowError
    StringIndexOutOfBoundsException UnsupportedOperationException VirtualMachineError
    super this
""")

_CONTAINERS: Final = Containers("""
    Collection SequencedCollection Iterable Set HashSet LinkedHashSet EnumSet SortedSet TreeSet:
        *=0 iterator.().next.()=0 stream.().*=0 stream.().filter.().*=0
    List ArrayList LinkedList Vector CopyOnWriteArrayList:
        *=0 get.()=0 getFirst.()=0 stream.().*=0 stream.().filter.().*=0
    Queue Deque ArrayDeque PriorityQueue BlockingQueue ConcurrentLinkedQueue LinkedBlockingQueue:
        *=0 peek.()=0 poll.()=0 element.()=0 take.()=0 pop.()=0 getFirst.()=0 getLast.()=0
    Stream: *=0 filter.().*=0 sorted.().*=0 distinct.().*=0
    Iterator ListIterator: next.()=0
    Map HashMap LinkedHashMap TreeMap SortedMap ConcurrentMap ConcurrentHashMap EnumMap:
        get.()=1 getOrDefault.()=1 computeIfAbsent.()=1 remove.()=1 values.().*=1 keySet.().*=0
        entrySet.().*.getKey.()=0 entrySet.().*.getValue.()=1 values.().stream.().*=1
    Entry: getKey.()=0 getValue.()=1
    Optional: *=0 get.()=0 orElse.()=0 orElseGet.()=0 orElseThrow.()=0 filter.().*=0
    Supplier AtomicReference ThreadLocal: get.()=0
    Future CompletableFuture: get.()=0 join.()=0
""")


_CONSTRUCTOR_CALL: Final = re.compile(rb"(?<![\w.])(?:supe(?=r\s*\()|thi(?=s\s*\())")


def _late_constructor_calls(source: bytes) -> Iterator[Sequence[Edit]]:
    """Write `super(…)` after other statements as a call: to the grammar it is the first one."""
    for found in occurrences(_CONSTRUCTOR_CALL, source):
        yield [Edit(found.start(), b"_"), Edit(found.end(), b"_")]


_REWRITES: Final = (
    Rewrite(_late_constructor_calls, in_error=True),
    blanked(rb"^[ \t]*(import[ \t]+module[ \t]+[\w.]+[ \t]*;)"),
    blanked(rb"\b(value)[ \t]+(?=(?:(?:public|abstract|final|sealed)[ \t]+)*(?:class|record)\b)"),
)

JAVA: Final = Language(
    "java",
    grammar("java"),
    version=2,
    rewrites=_REWRITES,
    linguist=("Java",),
    suffixes=(".java",),
    ecosystem=Ecosystem.MAVEN,
    export_rule=ExportRule.EXPLICIT,
    self_names=names("this"),
    super_names=names("super"),
    constructor_names=names("new this"),
    constructor_calls=names("this super"),
    inferred_type_keywords=names("var"),
    containers=_CONTAINERS,
    builtins=_BUILTINS,
    implicit_this=True,
    free_functions=False,
    separate_method_namespace=True,
    separate_type_namespace=True,
    package_visible_types=True,
)
LANGUAGES: Final = (JAVA,)
