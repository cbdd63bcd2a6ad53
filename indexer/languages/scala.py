"""Scala. `queries/scala.trace.scm` matches imports and references."""

from typing import Final

from indexer.languages.base import Language, grammar, names
from indexer.records.manifests import Ecosystem

_BUILTINS: Final = names("""
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
""")

SCALA: Final = Language(
    "scala",
    grammar("scala"),
    version=2,
    linguist=("Scala",),
    suffixes=(".scala", ".sc", ".sbt"),
    interpreters=("scala",),
    ecosystem=Ecosystem.MAVEN,
    self_names=names("this"),
    super_names=names("super"),
    constructor_names=names("this"),
    implicit_names=names("_"),
    builtins=_BUILTINS,
    literal_types={
        '"': "String",
        's"': "String",
        'f"': "String",
        'raw"': "String",
        "'": "Char",
        "0": "Int",
        "0.0": "Double",
    },
    call_member="apply",
    implicit_this=True,
    bare_methods=True,
    extension_methods=True,
    package_visible_types=True,
)
LANGUAGES: Final = (SCALA,)
