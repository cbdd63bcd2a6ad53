"""PHP. `queries/php.trace.scm` matches imports and references."""

from typing import Final

from indexer.languages.base import (
    HASH_COMMENTS,
    SLASH_COMMENTS,
    Containers,
    Language,
    Lexis,
    grammar,
    names,
)
from indexer.languages.rewrites import blanked
from indexer.records.manifests import Ecosystem
from indexer.records.references import CALLED

_BUILTINS: Final = names("""
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
""")

_CONTAINERS: Final = Containers("""
    array list iterable Generator Iterator Traversable: []=-1 *=-1
""")
_REWRITES: Final = (
    blanked(rb"[(,]\s*(final)[ \t]+(?=(?:public|protected|private|readonly)\b)"),
    blanked(rb"(?:^|[;{}])[ \t]*(\(void\))"),
)

PHP: Final = Language(
    "php",
    grammar("php", function="language_php"),
    version=2,
    rewrites=_REWRITES,
    lexis=Lexis((HASH_COMMENTS, SLASH_COMMENTS)),
    linguist=("PHP", "HTML+PHP", "Blade"),
    suffixes=(".php", ".phtml"),
    interpreters=("php",),
    ecosystem=Ecosystem.COMPOSER,
    self_names=names("$this"),
    variable_sign="$",
    class_names=names("self self:: static static::"),
    super_names=names("parent parent::"),
    builtins=_BUILTINS,
    call_member="__invoke",
    containers=_CONTAINERS,
    part_methods={"__invoke": CALLED},
    unknown_types=names("mixed object"),
    separate_method_namespace=True,
    separate_type_namespace=True,
)
LANGUAGES: Final = (PHP,)
