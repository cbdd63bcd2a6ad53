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
}

BUILTINS: Final = {language: frozenset(text.split()) for language, text in _TEXTS.items()}
