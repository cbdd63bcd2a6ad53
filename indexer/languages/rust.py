"""Rust. `queries/rust.trace.scm` matches imports and references."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from indexer.languages.base import Containers, ExportRule, Language, grammar, names
from indexer.languages.import_style import ImportStyle, beside, dotted
from indexer.languages.rewrites import (
    Edit,
    Rewrite,
    blank,
    blanked,
    closing,
    occurrences,
    replaced,
)
from indexer.records.manifests import Ecosystem

_TARGETS: Final = ("tests", "examples", "benches")  # with a crate for each file or directory
_ROOT_FILES: Final = frozenset({"lib", "main", "mod"})
_ROOTS: Final = frozenset({"lib.rs", "main.rs"})
_PATH_ROOTS: Final = ("crate", "self", "super")


def rust_source(path: str) -> str:
    """Return a crate's source directory: `crates/auth/src/a/b.rs` → `/crates/auth/src`.

    It is the last `src` of the path, or the first of `tests`, `examples` and `benches`, or the
    file's own directory. A directory in `src/bin`, `tests`, `examples` and `benches` is a crate's,
    except that its `mod.rs` is a module of the crates beside it.
    """
    *folders, name = path.split("/")
    count, has_crates = _base(folders)
    if has_crates and len(folders) > count and (name != "mod.rs" or len(folders) > count + 1):
        count += 1
    return "/" + "/".join(folders[:count])


def _base(folders: list[str]) -> tuple[int, bool]:
    """Return the number of folders to the sources, and whether each entry there is a crate."""
    if "src" in folders:
        last = len(folders) - folders[::-1].index("src")
        has_crates = folders[last : last + 1] == ["bin"]
        return last + has_crates, has_crates
    found = next((place for place, folder in enumerate(folders, 1) if folder in _TARGETS), 0)
    return (found, True) if found else (len(folders), False)


def rust_module(path: str) -> str:
    """Convert `crates/auth/src/a/mod.rs` → `/crates/auth/src.a`.

    A crate's root has its own name beside that of its directory: `src/lib.rs` → `/src.lib`,
    `tests/it.rs` → `/tests.it`.
    """
    source = rust_source(path)
    parts = path[len(source.rstrip("/")) :].removesuffix(".rs").split("/")
    if parts[-1] in _ROOT_FILES and not is_rust_root(path):
        parts.pop()
    return ".".join([source, *filter(None, parts)])


def is_rust_root(path: str) -> bool:
    """Whether a file is the root of a crate by its place, whatever the manifest declares."""
    *folders, name = path.split("/")
    if name == "mod.rs" or "/" + "/".join(folders) != rust_source(path):
        return False
    has_crates = _base(folders)[1]
    return (
        name in _ROOTS
        or (has_crates and len(folders) == _base(folders)[0])
        or (name == "build.rs" and "src" not in folders)
    )


def rust_modules(path: str) -> Iterator[str]:
    """Yield the names by which a file's own crate may mean it, as far as its path tells."""
    yield rust_module(path)
    if is_rust_root(path):
        yield rust_source(path)
        return
    *folders, name = path.split("/")
    count, has_crates = _base(folders)
    if not has_crates or len(folders) <= count:
        return
    base, crate = "/" + "/".join(folders[:count]), folders[count]
    inner = [*folders[count + 1 :], name.removesuffix(".rs")]
    if inner[-1] in _ROOT_FILES:
        inner.pop()
    yield ".".join([base, crate, *inner])  # a module of the crates beside its directory
    yield ".".join([f"{base}/{crate}", *inner])
    yield ".".join([f"{base}/{crate}", crate, *inner])


def _import_path(file: str, module: str, inside: str) -> str:
    """Resolve a path that begins with `crate`, `self`, `super` or another crate."""
    module = dotted(module)
    parts = module.split(".")
    if parts[0] not in _PATH_ROOTS:
        return module
    if parts[0] == "crate":
        root = rust_module(file) if is_rust_root(file) else rust_source(file)
        return ".".join([root, *parts[1:]])
    here = ".".join(part for part in (rust_module(file), inside) if part)
    while parts and parts[0] in ("self", "super"):
        if parts.pop(0) == "super":
            here = _outer(here)
    return ".".join([here, *parts])


def _outer(module: str) -> str:
    folders, slash, names = module.rpartition("/")
    return folders + slash + (names.rpartition(".")[0] or names)


def _submodule(file: str, name: str, inside: str, place: str) -> str:
    """Return the path of `mod name;`; `place` is the file that its attribute `path` names."""
    is_root = is_rust_root(file)
    if place:
        stem = "" if is_root else file.rpartition("/")[2].removesuffix(".rs").removesuffix("mod")
        folders = [stem, *inside.split(".")] if inside else []
        return rust_module(beside(file, "/".join([*filter(None, folders), place])))
    around = rust_source(file) if is_root else rust_module(file)
    return ".".join(part for part in (around, inside, name) if part)


_BUILTINS: Final = names("""
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
""")

# Not what gives a variable another type than the written one.
_MACRO_OF_ITEMS: Final = re.compile(
    rb"\b(?!thread_local!)\w{1,100}+!([ \t]{1,20}+\{)"
    rb"(?=(?:\s++|//[^\n]*+\n|#\[[^\n]*+\n){0,200}+"
    rb"(?:(?:pub(?:\([^()\n]*\))?|async|const|unsafe|extern(?:[ \t]+\"C\")?)[ \t]+){0,4}"
    rb"(?:fn|struct|enum|union|trait|impl|mod|type|static|use)\b)"
)


def _macros_of_items(source: bytes) -> Iterator[Sequence[Edit]]:
    """Write `cfg_net! { pub fn f() {} }` as `cfg_net!{}  pub fn f() {}`."""
    for found in occurrences(_MACRO_OF_ITEMS, source):
        end = closing(source, found.end() - 1)
        if end >= 0:
            yield [Edit(found.start(1), b"{}".ljust(len(found[1]))), blank(source, end - 1, end)]


_CONTAINERS: Final = Containers(
    """
    Vec VecDeque LinkedList HashSet BTreeSet BinaryHeap IndexSet SmallVec Iterator IntoIterator:
        []=0 *=0 next.()=0 first.()=0 last.()=0 get.()=0 enumerate.().*.1=0
    HashMap BTreeMap IndexMap DashMap: []=1 get.()=1 *.0=0 *.1=1 keys.().*=0 values.().*=1
    Mutex: lock.()=0
    RwLock: read.()=0 write.()=0
    RefCell: borrow.()=0 borrow_mut.()=0
    """,
    same_methods="""
    iter iter_mut into_iter drain filter rev skip take skip_while take_while step_by chain inspect
    peekable fuse by_ref collect to_vec as_slice as_mut_slice entry clone cloned copied to_owned
    unwrap expect unwrap_or_default as_ref as_mut
    """,
    item_methods="""
    get_mut first_mut last_mut front front_mut back back_mut pop pop_front pop_back remove nth find
    swap_remove peek next_back min min_by min_by_key max max_by max_by_key
    or_default or_insert or_insert_with into_inner try_lock
    """,
)

_REWRITES: Final = (
    Rewrite(_macros_of_items, always=True),
    blanked(rb"(?<![\w.])(gen)[ \t]+(?=fn\b|move\b|\{)"),
    blanked(rb"\b(async)[ \t]+(?=Fn(?:Mut|Once)?\b)"),
    blanked(rb"\b(safe)[ \t]+(?=fn\b|static\b)"),
    replaced(rb"\((!)\)", b"_"),  # a pattern that nothing matches
    replaced(rb"(?<![\w.])(become|do[ \t]+yeet)\b", b"return"),
    blanked(  # a field's value
        rb"(?:^|[{,])[ \t]{0,50}(?:pub[^:\n]{0,20})?\w{1,100}:"
        rb"[^=;{}\n]{1,200}(=[^=;{}()\n,]{1,200})(?=,|\}|$)"
    ),
    blanked(rb",\s*(\.\.)\s*(?=\})"),
    blanked(rb"\b(const)[ \t]+(?=(?:unsafe[ \t]+)?trait\b)"),
    blanked(rb"\bimpl\b[^{;\n]{0,200}?\b(const)[ \t]+(?=[A-Z])"),
    blanked(rb"[:+][ \t]*(\[const\]|~const|const\b)[ \t]*(?=[A-Z])"),
    blanked(rb"(?:^|[{,])[ \t]*(?:pub(?:\([^()\n]*\))?[ \t]+)?(unsafe)[ \t]+(?=\w+[ \t]*:)"),
    blanked(rb"&[ \t]*(pin[ \t]+)(?=mut\b)"),
    blanked(rb"&[ \t]*(pin[ \t]+const)\b"),
)

RUST: Final = Language(
    "rust",
    grammar("rust"),
    version=2,
    rewrites=_REWRITES,
    linguist=("Rust",),
    suffixes=(".rs",),
    ecosystem=Ecosystem.CARGO,
    import_style=ImportStyle(_import_path, submodule=_submodule),
    export_rule=ExportRule.EXPLICIT,
    self_names=names("self"),
    class_names=names("Self"),
    inferred_type_keywords=names("_ Vec<_>"),
    wrapper_types=names(
        "Option Result Box Arc Rc Pin Future Cow Weak Lazy LazyLock LazyCell OnceCell OnceLock Ref"
        " RefMut MutexGuard RwLockReadGuard RwLockWriteGuard ManuallyDrop"
    ),
    containers=_CONTAINERS,
    same_methods=names(
        "unwrap expect unwrap_or_default unwrap_or_else unwrap_or unwrap_unchecked clone cloned"
        " copied as_ref as_mut as_deref as_deref_mut to_owned ok ok_or ok_or_else"
    ),
    module_roots=names("crate self:: super"),
    builtins=_BUILTINS,
    literal_types={'"': "str", "'": "char", "0": "i32", "0.0": "f64"},
    separate_type_namespace=True,
    fixed_types=True,
)
LANGUAGES: Final = (RUST,)
