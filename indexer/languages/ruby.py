"""Ruby. `queries/ruby.trace.scm` matches imports and references."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from indexer.languages.base import HASH_COMMENTS, Language, Lexis, grammar, names
from indexer.languages.import_style import ImportStyle, relative_module
from indexer.languages.rewrites import Edit, Rewrite, blanked, occurrences, string_piece
from indexer.records.manifests import Ecosystem


def ruby_module(path: str) -> str:
    """Convert `lib/acme/common.rb` → `/lib/acme/common`."""
    return "/" + path.removesuffix(".rb")


def _import_path(file: str, module: str, _inside: str) -> str:
    """Resolve a path; "./" is relative to the file."""
    return relative_module(file, module, ruby_module) if module.startswith(".") else module


_BUILTINS: Final = names("""
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
""")

_MEMBERS_OF_CLASSES: Final = names("""
    allocate ancestors attached_object class const_defined? const_get const_missing const_set
    constants hash include? included_modules inspect instance_method instance_methods
    method_defined? module_eval name private_instance_methods public_instance_method
    public_instance_methods singleton_class subclasses superclass to_s
""")
_ENDLESS: Final = re.compile(
    rb"\bdef[ \t]+(?:\w+\.)?\w+[?!]?(?:\([^()\n]{0,300}\))?[ \t]*=[ \t]+"
    rb"((?:[\w@]+(?:::|&?\.)){0,5}[a-z_]\w*[?!]?[ \t]+"
    rb"(?![-+*/%=<>&|^?.,;)\]}#]|(?:if|unless|rescue|and|or|while|until|do|then|in|end)\b)"
    rb"[^\n#;]{1,500})"
)


def _endless_commands(source: bytes) -> Iterator[Sequence[Edit]]:
    """Parse a call without parentheses that is the body of an endless method by itself."""
    for found in occurrences(_ENDLESS, source):
        start = found.start(1)
        yield [string_piece(source, start, start + len(found[1].rstrip()))]


_REWRITES: Final = (
    Rewrite(_endless_commands),
    blanked(rb"^[ \t]*(&&|\|\||(?:and|or)\b)"),  # after which a line goes on
)

RUBY: Final = Language(
    "ruby",
    grammar("ruby"),
    version=2,
    rewrites=_REWRITES,
    lexis=Lexis((HASH_COMMENTS,), marks_methods=True),
    linguist=("Ruby",),
    suffixes=(".rb", ".rake", ".gemspec", ".ru"),
    file_names=("gemfile", "rakefile", "podfile", "vagrantfile", "guardfile"),
    interpreters=("ruby",),
    ecosystem=Ecosystem.RUBYGEMS,
    import_style=ImportStyle(_import_path, binds_no_name=True),
    reexports_imports=True,
    self_names=names("self"),
    super_names=names("super"),
    constructor_names=names("new"),
    class_member="class",
    members_of_classes=_MEMBERS_OF_CLASSES,
    builtins=_BUILTINS,
    literal_types={
        '"': "String",
        "'": "String",
        "`": "String",
        "0": "Integer",
        "0.0": "Float",
        "[": "Array",
    },
    implicit_this=True,
    bare_methods=True,
    module_methods=True,
    open_modules=True,
    calls_without_parentheses=True,
)
LANGUAGES: Final = (RUBY,)
