"""C and C++."""

import re
from collections.abc import Iterator
from typing import Final

from indexer.languages import cpp_rewrites
from indexer.languages.base import Containers, Language, ModuleName, grammar, names
from indexer.languages.import_style import (
    ImportStyle,
    dotted,
    path_ends,
    path_module,
    relative_module,
)
from indexer.records.manifests import Ecosystem
from indexer.records.references import USED_NAMESPACE

# Files that no other one includes.
_SOURCES: Final = (".c", ".cc", ".cpp", ".cxx", ".c++")
_IMPORT: Final = re.compile(r"(?:import|module)\s+([^\s;\[]+)")
_USING: Final = re.compile(r"using\s+namespace\s+([^;]+)")


def _include_names(path: str, namespace: str) -> Iterator[ModuleName]:
    """Yield the path that `#include` names, and of a module unit what `import` names.

    A header also has the ends of its path, which a search path may make the whole.
    """
    yield ModuleName(path_module(path), public=False, scope=False)
    if not path.endswith(_SOURCES):
        for end in path_ends(path):
            yield ModuleName(end, public=False, scope=False)
    if namespace:
        yield ModuleName(f"import {namespace}", public=False, scope=False)
        if ":" in namespace:  # a partition, which units of the same module name without it
            partition = namespace.partition(":")[2]
            yield ModuleName(f"import :{partition}", public=False, scope=False)


def _import_path(file: str, module: str, _inside: str) -> str:
    """Resolve a path relative to the including file; `<…>` stays as written.

    A statement is that of a namespace, of a module, or of a header as one.
    """
    if used := _USING.match(module):
        return USED_NAMESPACE + dotted(used[1])
    if statement := _IMPORT.match(module):
        name = statement[1]
        if name[0] not in '<"':
            return f"import {name}"
        module = name.strip('"')
    return module[1:-1] if module[:1] == "<" else relative_module(file, module, path_module)


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

# An iterator is as its item: `it->run()`.
_CPP_CONTAINERS: Final = Containers("""
    vector deque list array span QList: []=0 *=0 at.()=0 front.()=0 back.()=0 begin.()=0
    set multiset unordered_set QSet initializer_list: *=0 begin.()=0 find.()=0
    queue stack priority_queue: front.()=0 back.()=0 top.()=0
    map multimap unordered_map QMap QHash:
        []=1 at.()=1 *.0=0 *.1=1 *.first=0 *.second=1 begin.().second=1 find.().second=1
    pair: 0=0 1=1 first=0 second=1
    unique_ptr shared_ptr reference_wrapper future: get.()=0
    optional: value.()=0 value_or.()=0
    weak_ptr: lock.()=0
    atomic: load.()=0
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
    package_visible_functions=True,
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
    containers=_CPP_CONTAINERS,
    builtins=_BUILTINS | _CPP_BUILTINS,
    call_member="operator()",
    implicit_this=True,
    has_conditionals=True,
    has_headers=True,
    package_visible_functions=True,
    separate_type_namespace=True,
)  # fmt: skip
LANGUAGES: Final = (C, CPP)
