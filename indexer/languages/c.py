"""C and C++."""

import re
from collections.abc import Iterator
from typing import Final

from indexer.languages import cpp_rewrites
from indexer.languages.base import Language, ModuleName, grammar, names
from indexer.languages.import_style import ImportStyle, relative_module
from indexer.limits import HEADER_PATH_NAMES
from indexer.records.manifests import Ecosystem
from indexer.records.references import ANY_DIRECTORY

# Files that no other one includes.
_SOURCES: Final = (".c", ".cc", ".cpp", ".cxx", ".c++")
_IMPORT: Final = re.compile(r"(?:import|module)\s+([^\s;\[]+)")


def _include_module(path: str) -> str:
    """Return the module of a header: `src/auth.h` → `/src/auth.h`."""
    return "/" + path


def _include_names(path: str, namespace: str) -> Iterator[ModuleName]:
    """Yield the path that `#include` names, and of a module unit what `import` names.

    A header also has the ends of its path, which a search path may make the whole.
    """
    yield ModuleName(_include_module(path), public=False, scope=False)
    if not path.endswith(_SOURCES):
        parts = path.split("/")
        for count in range(1, min(len(parts), HEADER_PATH_NAMES) + 1):
            end = "/".join(parts[-count:])
            yield ModuleName(f"{ANY_DIRECTORY}{end}", public=False, scope=False)
    if namespace:
        yield ModuleName(f"import {namespace}", public=False, scope=False)
        if ":" in namespace:  # a partition, which units of the same module name without it
            partition = namespace.partition(":")[2]
            yield ModuleName(f"import :{partition}", public=False, scope=False)


def _import_path(file: str, module: str, _inside: str) -> str:
    """Resolve a path relative to the including file; `<…>` stays as written.

    A statement is that of a module, or of a header as one.
    """
    if statement := _IMPORT.match(module):
        name = statement[1]
        if name[0] not in '<"':
            return f"import {name}"
        module = name.strip('"')
    return module[1:-1] if module[:1] == "<" else relative_module(file, module, _include_module)


_INCLUDE: Final = ImportStyle(_import_path, binds_no_name=True)
_BUILTINS: Final = names("""
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
""")
_CPP_BUILTINS: Final = names("""
    std static_cast dynamic_cast const_cast reinterpret_cast typeid decltype noexcept operator
    wchar_t char8_t char16_t char32_t nullptr auto delete
""")

C: Final = Language(
    "c",
    grammar("c"),
    version=2,
    linguist=("C",),
    suffixes=(".c", ".h"),
    rewrites=cpp_rewrites.REWRITES_OF_C,
    ecosystem=Ecosystem.NONE,
    module_names=_include_names,
    import_style=_INCLUDE,
    reexports_imports=True,
    builtins=_BUILTINS,
    has_methods=False,
    separate_type_namespace=True,
)
CPP: Final = Language(
    "cpp",
    grammar("cpp", "c", "cpp"),
    version=2,
    linguist=("C++",),
    suffixes=(
        ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl", ".tpp",
        ".cppm", ".ixx", ".cxxm", ".ccm", ".mpp",
    ),
    rewrites=cpp_rewrites.REWRITES,
    ecosystem=Ecosystem.NONE,
    module_names=_include_names,
    import_style=_INCLUDE,
    reexports_imports=True,
    self_names=names("this"),
    inferred_type_keywords=names("auto"),
    wrapper_types=names("unique_ptr shared_ptr weak_ptr optional reference_wrapper"),
    builtins=_BUILTINS | _CPP_BUILTINS,
    implicit_this=True,
    has_headers=True,
    separate_type_namespace=True,
)  # fmt: skip
LANGUAGES: Final = (C, CPP)
