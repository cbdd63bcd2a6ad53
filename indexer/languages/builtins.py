"""Names that a language itself defines, by language: nobody asks who uses them."""

from typing import Final

_TEXTS: Final = {
    "python": """
        abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr
        classmethod compile complex delattr dict dir divmod enumerate eval exec filter float
        format frozenset getattr globals hasattr hash help hex id input int isinstance
        issubclass iter len list locals map max memoryview min next object oct open ord pow
        print property range repr reversed round set setattr slice sorted staticmethod str
        sum super tuple type vars zip __import__ None True False NotImplemented Ellipsis
        BaseException Exception ArithmeticError AssertionError AttributeError BufferError
        EOFError FileExistsError FileNotFoundError ImportError IndexError InterruptedError
        IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
        ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError IOError
        OverflowError PermissionError RecursionError ReferenceError RuntimeError
        StopAsyncIteration StopIteration SyntaxError SystemExit TimeoutError TypeError
        UnicodeDecodeError UnicodeEncodeError UnicodeError ValueError ZeroDivisionError
        ConnectionError BrokenPipeError ConnectionResetError ConnectionRefusedError
        DeprecationWarning UserWarning Warning RuntimeWarning ExceptionGroup
    """,
    "ecmascript": """
        Array ArrayBuffer Atomics BigInt Boolean DataView Date Error EvalError Function Infinity
        Intl JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect
        RegExp Set String Symbol SyntaxError TypeError URIError URL URLSearchParams WeakMap
        WeakRef WeakSet console decodeURI decodeURIComponent encodeURI encodeURIComponent eval
        globalThis import isFinite isNaN parseFloat parseInt require setTimeout setInterval
        setImmediate clearTimeout clearInterval queueMicrotask structuredClone undefined process
        Buffer window document module exports super this string number boolean unknown never any
        void object symbol bigint Record Array ReadonlyArray
    """,
    "go": """
        append cap clear close complex copy delete imag len make max min new panic print
        println real recover bool byte comparable complex64 complex128 error float32 float64
        int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr any
        true false nil iota
    """,
    "rust": """
        Some None Ok Err Option Result Box String Vec Self drop Default Clone Copy Send Sync
        Sized Drop Fn FnMut FnOnce From Into TryFrom TryInto AsRef AsMut Iterator
        IntoIterator FromIterator Extend DoubleEndedIterator ExactSizeIterator Eq PartialEq
        Ord PartialOrd ToOwned ToString Debug Hash Unpin bool char str i8 i16 i32 i64 i128
        isize u8 u16 u32 u64 u128 usize f32 f64 assert assert_eq assert_ne cfg column
        compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne env eprint
        eprintln file format format_args include include_bytes include_str line macro_rules
        matches module_path option_env panic print println stringify thread_local todo
        unimplemented unreachable vec write writeln allow cfg_attr cold deny deprecated
        derive doc expect forbid global_allocator ignore inline link macro_export macro_use
        must_use no_mangle non_exhaustive path proc_macro proc_macro_attribute
        proc_macro_derive repr rustfmt should_panic target_feature test track_caller warn
        clippy
    """,
    "ruby": """
        Array Complex Float Hash Integer Rational String __callee__ __dir__ __method__ abort
        alias_method at_exit attr attr_accessor attr_reader attr_writer autoload
        autoload_relative binding block_given? caller caller_locations catch class_eval
        define_method eval exec exit exit! extend fail fork format freeze gets
        global_variables include instance_eval instance_variable_get instance_variable_set
        is_a? lambda load local_variables loop module_function nil? object_id open p pp
        prepend printf private private_class_method private_constant proc protected public
        public_class_method public_send putc puts raise rand refine require require_relative
        respond_to? select send set_trace_func sleep spawn sprintf srand super syscall
        system tap test then throw trace_var trap undef_method using warn yield_self Object
        BasicObject Kernel Module Class Comparable Enumerable Enumerator Symbol NilClass
        TrueClass FalseClass Numeric Proc Method Range Regexp Struct Data Time Dir File IO
        ENV ARGV STDIN STDOUT STDERR Process Thread Mutex Queue Fiber Random Math GC
        ObjectSpace Marshal Signal MatchData Encoding Exception ArgumentError EncodingError
        EOFError FiberError FloatDomainError FrozenError IOError IndexError Interrupt
        KeyError LoadError LocalJumpError NameError NoMatchingPatternError NoMemoryError
        NoMethodError NotImplementedError RangeError RegexpError RuntimeError ScriptError
        SecurityError SignalException StandardError StopIteration SyntaxError
        SystemCallError SystemExit SystemStackError ThreadError TypeError UncaughtThrowError
        ZeroDivisionError Errno
    """,
    "c": """
        defined sizeof offsetof va_start va_end va_arg va_copy alignof _Alignof
        _Static_assert static_assert _Generic NULL assert abort abs atexit atof atoi atol
        bsearch calloc exit fclose feof ferror fflush fgetc fgets fopen fprintf fputc fputs
        fread free fscanf fseek ftell fwrite getc getchar getenv isalnum isalpha isdigit
        islower isprint ispunct isspace isupper isxdigit labs longjmp malloc memchr memcmp
        memcpy memmove memset perror printf putc putchar puts qsort raise rand realloc
        remove rename rewind scanf setjmp signal snprintf sprintf srand sscanf strcat strchr
        strcmp strcpy strcspn strdup strerror strlen strncat strncmp strncpy strpbrk strrchr
        strspn strstr strtod strtok strtol strtoll strtoul strtoull system time tolower
        toupper ungetc vfprintf vprintf vsnprintf vsprintf likely unlikely __builtin_expect
        __builtin_unreachable __attribute__ true false bool char double float int long short
        signed unsigned void size_t ssize_t ptrdiff_t intptr_t uintptr_t int8_t int16_t
        int32_t int64_t uint8_t uint16_t uint32_t uint64_t FILE va_list
    """,
    "java": """
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
    """,
    "kotlin": """
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
    """,
    "csharp": """
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
    """,
    "php": """
        array bool callable false float int iterable mixed never null object string true
        void stdClass Closure Generator WeakMap WeakReference Traversable Iterator
        IteratorAggregate ArrayAccess Countable Serializable JsonSerializable Stringable
        UnitEnum BackedEnum Attribute ReturnTypeWillChange AllowDynamicProperties Override
        SensitiveParameter Throwable Exception ErrorException Error TypeError ValueError
        ArithmeticError DivisionByZeroError ArgumentCountError AssertionError
        UnhandledMatchError BadFunctionCallException BadMethodCallException DomainException
        InvalidArgumentException JsonException LengthException LogicException
        OutOfBoundsException OutOfRangeException OverflowException RangeException
        RuntimeException UnderflowException UnexpectedValueException ArrayIterator
        ArrayObject DateInterval DatePeriod DateTime DateTimeImmutable DateTimeInterface
        DateTimeZone PDO PDOException PDOStatement ReflectionClass ReflectionException
        ReflectionFunction ReflectionMethod ReflectionNamedType ReflectionObject
        ReflectionProperty SplFileInfo SplObjectStorage SplQueue SplStack
        abs array_chunk array_column array_combine array_diff array_diff_key array_fill
        array_fill_keys array_filter array_flip array_intersect array_intersect_key
        array_is_list array_key_exists array_key_first array_key_last array_keys array_map
        array_merge array_merge_recursive array_pad array_pop array_product array_push
        array_rand array_reduce array_replace array_reverse array_search array_shift
        array_slice array_splice array_sum array_unique array_unshift array_values
        array_walk arsort asort assert base64_decode base64_encode basename bin2hex
        call_user_func call_user_func_array ceil chmod chr class_exists clearstatcache
        compact constant copy count crc32 ctype_alpha ctype_digit curl_close curl_exec
        curl_init curl_setopt current date date_default_timezone_get debug_backtrace define
        defined dirname end error_log error_reporting escapeshellarg exec explode
        extension_loaded extract fclose feof fflush fgets file file_exists
        file_get_contents file_put_contents filemtime filesize filter_var floor fmod fopen
        fread fseek fsockopen fstat ftell func_get_args func_num_args function_exists
        fwrite gc_collect_cycles get_class get_debug_type get_object_vars get_parent_class
        get_resource_type getcwd getenv gettype gmdate hash hash_algos hash_equals
        hash_hmac header headers_sent hex2bin hrtime htmlspecialchars http_build_query
        iconv implode in_array ini_get ini_set interface_exists intdiv intval is_a is_array
        is_bool is_callable is_countable is_dir is_file is_float is_int is_integer
        is_iterable is_link is_null is_numeric is_object is_readable is_resource is_scalar
        is_string is_subclass_of is_writable iterator_to_array join json_decode json_encode
        json_last_error key krsort ksort lcfirst ltrim max mb_convert_case
        mb_convert_encoding mb_detect_encoding mb_strlen mb_strpos mb_strrpos
        mb_strtolower mb_strtoupper mb_strwidth mb_substr mb_substr_count md5
        memory_get_usage method_exists microtime min mkdir mktime mt_rand natsort next
        nl2br number_format ob_end_clean ob_get_clean ob_start ord pack parse_str parse_url
        password_hash password_verify pathinfo php_sapi_name phpversion pow preg_last_error
        preg_match preg_match_all preg_quote preg_replace preg_replace_callback preg_split
        print_r printf property_exists putenv rand random_bytes random_int range
        rawurldecode rawurlencode readfile realpath register_shutdown_function rename reset
        restore_error_handler rmdir round rsort rtrim scandir serialize set_error_handler
        set_exception_handler settype sha1 shuffle sleep sort spl_autoload_register
        spl_object_hash spl_object_id sprintf sqrt sscanf str_contains str_ends_with
        str_pad str_repeat str_replace str_split str_starts_with strcasecmp strcmp
        stream_context_create stream_get_contents strip_tags stripos stripslashes strlen
        strncmp strpos strrev strrpos strspn strstr strtolower strtotime strtoupper strtr
        strval substr substr_count substr_replace sys_get_temp_dir tempnam time touch
        trigger_error trim uasort ucfirst ucwords uksort uniqid unlink unpack unserialize
        isset empty unset curl_getinfo curl_multi_exec curl_setopt_array curl_error
        curl_errno curl_reset array_replace_recursive array_walk_recursive
        json_last_error_msg is_executable stream_get_meta_data stream_select
        stream_wrapper_register set_time_limit setlocale spl_autoload_functions
        urldecode urlencode usleep usort utf8_decode utf8_encode var_dump var_export
        version_compare vsprintf wordwrap
    """,
    "scala": """
        Any AnyRef AnyVal Unit Nothing Null Boolean Byte Short Int Long Float Double Char
        String Array Option Some None Either Left Right List Nil Seq IndexedSeq Vector Set
        Map Iterable Iterator LazyList Stream Range Tuple StringBuilder Numeric Ordering
        Ordered Equiv Fractional Integral BigDecimal BigInt Predef Function PartialFunction
        Product Serializable Throwable Exception Error RuntimeException
        IllegalArgumentException IllegalStateException IndexOutOfBoundsException
        NoSuchElementException NullPointerException NumberFormatException
        UnsupportedOperationException ClassCastException deprecated inline tailrec
        transient volatile throws unchecked specialized switch main assert assume require
        ensuring print println printf identity implicitly summon locally classOf valueOf
        StringContext super this
    """,
    "swift": """
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
    """,
    "cpp": """
        std static_cast dynamic_cast const_cast reinterpret_cast typeid decltype noexcept operator
        wchar_t char8_t char16_t char32_t nullptr auto delete
    """,
}

BUILTINS: Final = {language: frozenset(text.split()) for language, text in _TEXTS.items()}
