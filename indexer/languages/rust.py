"""Rust. `queries/rust.trace.scm` matches imports and references."""

from typing import Final

from indexer.languages.base import ExportRule, Language, grammar, names
from indexer.languages.import_style import ImportStyle, dotted
from indexer.languages.rewrites import blanked, replaced
from indexer.records.manifests import Ecosystem

_SOURCES: Final = ("src", "tests", "examples", "benches")
_ROOT_FILES: Final = frozenset({"lib", "main", "mod"})
_PATH_ROOTS: Final = ("crate", "self", "super")


def rust_source(path: str) -> str:
    """Return a crate's source directory: `crates/auth/src/a/b.rs` → `/crates/auth/src`.

    It is the last `src` of the path, or the first of `tests`, `examples` and `benches`, or the
    file's own directory.
    """
    folders = path.split("/")[:-1]
    if "src" in folders:
        last = len(folders) - folders[::-1].index("src")
        return "/" + "/".join(folders[:last])
    for position, folder in enumerate(folders, 1):
        if folder in _SOURCES:
            return "/" + "/".join(folders[:position])
    return "/" + "/".join(folders)


def rust_module(path: str) -> str:
    """Convert `crates/auth/src/a/mod.rs` → `/crates/auth/src.a`; the root is the directory."""
    source = rust_source(path)
    relative = path[len(source) :] if len(source) > 1 else "/" + path if source == "/" else path
    parts = [part for part in relative.removesuffix(".rs").split("/") if part]
    if parts and parts[-1] in _ROOT_FILES:
        parts.pop()
    return ".".join([source, *parts])


def _import_path(file: str, module: str, inside: str) -> str:
    """Resolve a path that begins with `crate`, `self`, `super` or another crate."""
    module = dotted(module)
    parts = module.split(".")
    if parts[0] not in _PATH_ROOTS:
        return module
    if parts[0] == "crate":
        return ".".join([rust_source(file), *parts[1:]])
    here = ".".join(part for part in (rust_module(file), inside) if part)
    while parts and parts[0] in ("self", "super"):
        if parts.pop(0) == "super":
            here = here.rpartition(".")[0] or here
    return ".".join([here, *parts])


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

_REWRITES: Final = (
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
    suffixes=(".rs",),
    ecosystem=Ecosystem.CARGO,
    import_style=ImportStyle(_import_path, has_inner_modules=True),
    export_rule=ExportRule.EXPLICIT,
    self_names=names("self"),
    class_names=names("Self"),
    wrapper_types=names(
        "Option Result Box Arc Rc Pin Future Cow Weak Lazy LazyLock LazyCell OnceCell OnceLock Ref"
        " RefMut MutexGuard RwLockReadGuard RwLockWriteGuard ManuallyDrop"
    ),
    module_roots=names("crate self:: super"),
    builtins=_BUILTINS,
    literal_types={'"': "str", "'": "char", "0": "i32", "0.0": "f64"},
    separate_type_namespace=True,
)
LANGUAGES: Final = (RUST,)
