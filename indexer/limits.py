"""Limits of the product's input: bytes, lines, patterns, seconds.

One constant each, with its unit in its name. docs/reference/limits.md lists them for readers.
"""

from typing import Final

# Processes that read what people send or files hold
CHILD_MEMORY_BYTES: Final = 512 * 1024 * 1024
CHILD_ANSWER_BYTES: Final = 64 * 1024 * 1024

# Git and a checkout
GIT_COMMAND_SECONDS: Final = 900.0
GIT_FETCH_SECONDS: Final = 3_600.0
GIT_END_SECONDS: Final = 5.0  # after SIGTERM, before SIGKILL
MESSAGE_CHARACTERS: Final = 1_000  # of git, a forge or another service
GIT_ANSWER_BYTES: Final = 16 * 1024 * 1024  # of a command that lists no files of a commit
GIT_RECORD_BYTES: Final = 1_048_576  # of a path in a listing, or of a line of a patch
GIT_MESSAGE_BYTES: Final = 16_384  # of standard error: its end
INDEXING_MEMORY_BYTES: Final = 2 * 1024**3  # of a git, a worker, a child of a backfill
BLOB_BYTES: Final = 16 * 1024 * 1024  # of a file that is read; a batch is no larger
PATH_BYTES: Final = 1_024
FILE_BYTES: Final = 1_048_576  # unless max_file_bytes of .codesearch.toml says otherwise
LINE_BYTES: Final = 50_000
MEAN_LINE_BYTES: Final = 200  # written code has 30 to 45; data and documents may have more
PROJECT_FILE_BYTES: Final = 65_536  # a small file can make a TOML reader take gigabytes
PARSED_BYTES: Final = 2_097_152  # of a file; what is larger is cut into windows
LANGUAGE_BYTES: Final = 51_200  # in which patterns tell a language, as many as Linguist reads
PARSED_BRACKETS: Final = 1_000  # nested
FILE_DEFINITIONS: Final = 20_000
FILE_REFERENCES: Final = 20_000
UNPACKED_BYTES: Final = 2_000  # of a pattern of names, such as `a, b` of `a, b = f()`
FLOW_ITEMS: Final = 100  # of a table of functions, and arguments of a call
FLOW_CALL_BYTES: Final = 2_000  # of the arguments of a call
FLOW_LITERAL_CHARACTERS: Final = 10_000  # of a table of functions
UNPARSED_RANGES: Final = 200  # of a file's lines; the last goes to the end of what is not parsed
UNPARSED_CALLS: Final = 1_000  # uses like calls in them, which become references
UNPARSED_NAMES: Final = 2_000  # different names in them
FILE_REGIONS: Final = 20_000  # of code inside of a file that is no code
FILE_FIXTURES: Final = 1_000  # of pytest, which a file takes from conftest.py
PATH_END_NAMES: Final = 8  # at the end of a path, by which a file may include it
CONFTEST_LEVELS: Final = 32  # directories in which a fixture is looked up
MANIFEST_CHARACTERS: Final = 16 * 1_048_576
WRITTEN_MANIFEST_CHARACTERS: Final = 1_048_576  # of handwritten manifests, whose parsers are slow
SCRIPT_CHARACTERS: Final = 262_144  # of setup.py, and of builds of Gradle and sbt
CONFIGURATION_CHARACTERS: Final = 65_536  # of setup.cfg, tox.ini and the like
MANIFEST_STEPS: Final = 2_000_000  # of what the manifests of a repository say of each other
MANIFEST_PINS: Final = 20_000
MANIFEST_DEPENDENCIES: Final = 2_000
MANIFEST_ENTRIES: Final = 1_000

# SCIP indexes
SCIP_FILES: Final = 1_000  # of a run
SCIP_FILE_BYTES: Final = 8 * 1024**3  # also inflated
SCIP_DOCUMENTS: Final = 200_000  # of a run
SCIP_DOCUMENT_BYTES: Final = 64 * 1024 * 1024
SCIP_DOCUMENT_MESSAGES: Final = 1_000_000  # parsed they take up to 200 MB
SCIP_SYMBOL_BYTES: Final = 1_000
SCIP_TOOL_CHARACTERS: Final = 100  # of an indexer's name, and of its version
SCIP_DEFINITIONS: Final = FILE_DEFINITIONS  # of a document
SCIP_OCCURRENCES: Final = 3 * FILE_REFERENCES  # of a document, without definitions
SCIP_RELATIONSHIPS: Final = 20_000  # of a document

# Patterns
PATTERN_BYTES: Final = 1_024
PATTERN_WILDCARDS: Final = 64
PATTERNS: Final = 1_000  # of one list of .codesearch.toml, or of one .gitattributes
ATTRIBUTES_BYTES: Final = 1_048_576  # of one .gitattributes or .editorconfig

# Uploads of a run
TREE_BYTES: Final = 256 * 1024 * 1024  # decompressed; AETERNA_TREE_MAX_BYTES
TREE_PATHS: Final = 2_000_000  # of a commit; TREE_BYTES have as many of ordinary length
TREE_LINE_BYTES: Final = 8_192  # a path whose every byte is escaped has 6 KiB
BATCH_BYTES: Final = 16 * 1024 * 1024  # decompressed; AETERNA_BATCH_MAX_BYTES
BATCH_FILES: Final = 500  # AETERNA_BATCH_MAX_FILES
BATCH_VALUES: Final = 1_000_000  # of JSON; parsed they take up to 120 MB
RUN_BATCHES: Final = 100_000
FILE_LINES: Final = 1_048_576
CHUNK_TERMS: Final = 16_000  # non-zero elements of a pgvector sparsevec
CALL_ARGUMENTS_CHARACTERS: Final = 1_000  # of a call that are read for what it is given
NAME_CHARACTERS: Final = 500  # of a name, a qualified name, a container, a signature
LABEL_CHARACTERS: Final = 40  # of a language or a symbol's kind
ENCODING_CHARACTERS: Final = 20  # of the name of a codec of Python
VERSION_CHARACTERS: Final = 200  # of a version or a requirement
LOCATION_CHARACTERS: Final = 1_000  # of a directory, a file, a glob, a pattern in a manifest
MODULE_PATH_BYTES: Final = 1_000  # of UTF-8: a path is a key of indexes, which have limits
LOOKUP_DIGESTS: Final = 20_000
WEBHOOK_BYTES: Final = 256 * 1024
RUNS_OPEN_OF_REPOSITORY: Final = 50
RUNS_OPEN_OF_ORGANIZATION: Final = 1_000
REPOSITORIES_OF_ORGANIZATION: Final = 20_000  # AETERNA_REPOSITORIES_MAX
WAITING_BYTES: Final = 32 * 1024**3  # of uploads, as stored; AETERNA_WAITING_MAX_BYTES
ANSWER_BYTES: Final = 256 * 1024 * 1024  # of a service that the indexer calls

# Requests and pages
REQUEST_BYTES: Final = 2 * 1024 * 1024
JSON_VALUES: Final = 200_000  # parsed they take up to 24 MB
BODIES_BYTES: Final = 384 * 1024 * 1024  # received by a process and not answered yet
BODY_FREE_BYTES: Final = 64 * 1024  # of each body, which do not count
BODY_SECONDS: Final = 300.0  # for the whole of a body to come
# GitHub's own limit is 25 MB, but the largest event that is used, a push, names at most 2,048
# commits.
GITHUB_WEBHOOK_BYTES: Final = 5 * 1024 * 1024
ID_TOKEN_BYTES: Final = 32 * 1024
INTERNAL_BODY_BYTES: Final = 64 * 1024
REQUESTS_AT_ONCE: Final = 16  # of a process; below the size of the database's pool
REQUESTS_OF_ONE_CALLER: Final = 12  # of an organisation, so that others are served as well
REQUESTS_WAITING: Final = 200  # in each lane, half of them of one caller
READS_AT_ONCE: Final = 14  # the other threads are for runs and webhooks
READ_WAIT_SECONDS: Final = 0.7  # for a thread: overload is refused within a second
READS_IN_FRONT: Final = 8  # of the queue of a caller, who may wait longer
READ_FRONT_WAIT_SECONDS: Final = 20.0  # an agent's answer, with its wait, may take 30 s
# Python computes in one thread at a time: more at once would take longer, each and together.
SEARCHES_AT_ONCE: Final = 3  # AETERNA_SEARCHES_AT_ONCE
REMOTE_SEARCHES_AT_ONCE: Final = 12  # the same with a remote embedder, for which they mostly wait
TRACES_AT_ONCE: Final = 1
EXPORTS_AT_ONCE: Final = 2
EXPORTS_OF_ONE_CALLER: Final = 1
LATE_SECONDS: Final = 1.2  # of waiting for a search or trace that has run as long: then beside it
LATE_AT_ONCE: Final = 4
LATE_OF_ONE_CALLER: Final = 1
RUNS_AT_ONCE: Final = 10  # requests of the run protocol, and webhooks; with uploads 14
RUNS_OF_ONE_CALLER: Final = 8
RUN_WAIT_SECONDS: Final = 8.0  # for a thread; GitHub gives a webhook ten seconds
RUN_ENDS_AWAITED: Final = 200  # requests of a process that wait for one, without a thread
RUN_ENDS_AWAITED_OF_ORGANIZATION: Final = 10
RUN_END_WAIT_SECONDS: Final = 25  # proxies end a request after 30
STREAMS_AT_ONCE: Final = 10  # making a part; each reader in turn
STREAMS_OF_ONE_CALLER: Final = 8
STREAMS_WAITING: Final = 2_000  # for a thread, as long as it takes
STREAM_WAIT_SECONDS: Final = 30.0  # for a client that reads nothing of its answer
STREAM_PORTION_BYTES: Final = 256 * 1024  # made ahead of the client, which holds no thread then
STREAM_PORTION_SECONDS: Final = 0.2
UPLOADS_AT_ONCE: Final = 4  # trees and batches of a process, of some 300 MB at most each
UPLOADS_OF_ONE_CALLER: Final = 2
UPLOADS_WAITING: Final = 64  # each with up to 2.5 MB in memory, the rest on disk
UPLOAD_WAIT_SECONDS: Final = 30.0  # for a thread; half of the indexer's time-out
QUERY_CHARACTERS: Final = 4_000
PASTED_CHARACTERS: Final = 20_000  # of a pasted stack trace, which is no other query
STACK_FRAMES: Final = 100  # of a pasted trace
STACK_ROWS_OF_TAIL: Final = 2_000  # files with the same end that are looked at, of all tenants
STACK_FILES_OF_TAIL: Final = 20  # files that end with the same part of a path
ERROR_PARTS: Final = 8  # of a pasted error message
ERROR_PART_CHARACTERS: Final = 100
ERROR_READINGS: Final = 12  # of some of its parts
ERROR_SEARCH_SECONDS: Final = 1.0  # for each way to read its parts
ERROR_SECONDS: Final = 3.0  # for all of them
INSTEAD_RESULTS: Final = 5  # by words, if a quoted text stands nowhere
QUERY_TERMS: Final = 100  # filters, literals, regular expressions, negated words
QUERY_NESTING: Final = 20
QUERY_PATTERN_CHARACTERS: Final = 1_000
QUERY_PATTERN_BYTES: Final = 2 * 1024 * 1024  # of memory for a compiled regular expression
QUERIES: Final = 10
RESULTS: Final = 50
FACET_VALUES: Final = 12  # repositories, languages or directories with counts of a search
RESULT_SPANS: Final = 5  # beside the best one, where a file is one result
PROJECTS_NAMED: Final = 1_000
TRACE_SITES: Final = 200
TRACE_DEPTH: Final = 5
TRACE_NODES: Final = 500
START_REPOSITORIES: Final = 8  # on the start page
START_SEARCHES: Final = 10  # saved ones there
EXAMPLE_REPOSITORIES: Final = 3  # whose symbols are examples there
EXAMPLE_FILES: Final = 200  # of each, among which these are looked for
EXAMPLE_SYMBOLS: Final = 5  # of each file
PANEL_DEFINITIONS: Final = 3  # of a name of a file's page
PANEL_PROJECTS: Final = 8  # that use it
PANEL_LINKS: Final = 4  # uses of each that are named
PANEL_DOCUMENTATION_LINES: Final = 40  # of each definition
PANEL_DOCUMENTATION_CHARACTERS: Final = 2_000
PICTURE_NODES: Final = 40  # of a call graph that are drawn one by one
SKIPPED_FILES_COUNTED: Final = 10_000  # that may define a name which a trace does not find
STATUS_SKIPPED_FILES: Final = 50_000  # that the status of several projects counts by reason
OLDER_EXTRACTOR_NAMED: Final = 20  # projects that a receipt names
STATUS_UNREAD_MANIFESTS: Final = 20  # that the status of a project names
CALLS_REFERENCES: Final = 5_000  # that a page of call edges is made of
EDGES_REFERENCES: Final = 5_000  # of several files, resolved in one transaction of the follower
EDGES_FILES: Final = 100  # of which these are
EDGES_LIVE_FILES: Final = 5_000  # of which an answer resolves the references beside stored edges
MAP_LINKS: Final = 5_000  # of an answer
MAP_ROWS: Final = 500  # consumers or definitions of an answer
MAP_FILES: Final = 2_000  # whose edges are not current, resolved for an answer about all
MAP_REFERENCES: Final = 20_000  # of these files
UNUSED_LISTED: Final = 200  # definitions of a page
UNUSED_DEFINITIONS: Final = 1_000  # at which a page looks
UNUSED_TEXTS: Final = 20_000  # names that a page looks up in the text of a repository
UNUSED_FILES: Final = 50  # that are read for a name
UNUSED_TYPES: Final = 20_000  # that have the names of a portion of them
UNUSED_CLASSES: Final = 10_000  # with members of such names
CALLS_LISTED: Final = 50_000  # of a page: a call may reach every override of a method
CALLS_LOOKS: Final = 200  # for a page, each at up to CALLS_FILES of one repository
CALLS_FILES: Final = 500
SCIP_EXPORT_FILES: Final = 200  # of a portion of an export as SCIP
SCIP_EXPORT_REFERENCES: Final = 3_000  # of these
SCIP_EXPORT_BYTES: Final = 2 * 1024 * 1024  # of their content, or one file
SCIP_EXPORT_EXTERNAL_SYMBOLS: Final = 50_000  # of other repositories, which an export describes
SCIP_EXPORT_SECONDS: Final = 1_800.0
IMPACT_CHANGES: Final = 1_000  # files or names in a request, and pairs of lines in a file
IMPACT_DEFINITIONS: Final = 2_000
AGENT_ANSWER_SECONDS: Final = 30.0
SIDECAR_ANSWER_BYTES: Final = 16 * 1024 * 1024
DECLARED_DIGITS: Final = 18  # of a Content-Length; Python converts no more than 4,300

# Reading files
FILES_LISTED: Final = 1_000  # of a page
FILES_MATCHED: Final = 200_000  # paths that a glob is compared with for a page
PATHS_RANKED: Final = 5_000  # paths that hold the characters that are looked for
FILE_ANSWER_BYTES: Final = 200_000  # of content
GLOB_CHARACTERS: Final = 1_000

# Filters of a search
NAMED_FILES: Final = 2_000  # matching files: the vector store gets their paths
FILES_LOOKED_AT: Final = 20_000  # examined for them: many repositories may share few paths
SIMILAR_CHUNKS: Final = 1_600  # read once if a lexical search needs similarities

# Exact search
EXACT_FILES: Final = 20_000  # candidates that one page orders and reads
EXACT_NAMES: Final = 50_000  # files that a page orders, if their names alone decide
EXACT_HINT_FILES: Final = 1_000  # candidates that an empty answer looks at to explain itself
EXACT_HINT_SECONDS: Final = 0.2  # for each question of it
EXACT_HINT_NAMES: Final = 3  # unknown repositories that it names, with near names of each
EXACT_MATCHES_OF_FILE: Final = 1_000  # of each term
EXACT_STREAM_MATCHES_OF_FILE: Final = 50_000
EXACT_LINES_OF_RESULT: Final = 20
EXACT_RESULT_BYTES: Final = 2 * 1024 * 1024  # of the lines of a result, as JSON
EXACT_LINE_CHARACTERS: Final = 500  # a longer line is cut around its first match
CATALOGUE_REPOSITORY_FILES: Final = 50_000  # whose paths a search reads whole, to keep them
CATALOGUE_BYTES: Final = 64 * 1024 * 1024  # of paths that a server keeps in memory, roughly
EXACT_CACHE_BYTES: Final = 128 * 1024 * 1024  # of content that a server keeps in memory
EXACT_READ_BYTES: Final = 4 * 1024 * 1024  # of files that are read by one statement
EXACT_SECONDS: Final = 3.0  # for a page
EXACT_COUNT_SECONDS: Final = 0.01  # of them to count on, when a page is full
EXACT_STREAM_SECONDS: Final = 60.0
EXACT_STREAM_FILES: Final = 200_000  # candidates that a stream orders and reads
EXACT_CPU_SECONDS: Final = 1.0  # of one file, for a regular expression or a structural pattern
EXACT_REGEX_STEPS: Final = 50_000_000  # instructions times bytes; more goes to a process
EXACT_PROCESS_SECONDS: Final = 5.0  # of waiting for a process that is free, or for its answer
EXACT_PROCESSES: Final = 2  # of a server, each for one file at a time

# Who owns a file: CODEOWNERS
OWNERS_BYTES: Final = 3 * 1024 * 1024  # of the file; GitHub ignores a larger one
OWNERS_RULES: Final = 20_000  # of a file; and so many invalid lines
OWNERS_WILDCARD_RULES: Final = 4_000  # of these
OWNERS_PATTERN_CHARACTERS: Final = 1_000
OWNERS_PATTERN_WILDCARDS: Final = 16
OWNERS_OF_RULE: Final = 100
OWNERS_INVALID_LINES: Final = 100  # that are named, with the number of all
OWNERS_READ_BYTES: Final = 16 * 1024 * 1024  # that a request reads and compiles
OWNERS_CACHE_BYTES: Final = 64 * 1024 * 1024  # of compiled rules that a server keeps, roughly
OWNERS_SECONDS: Final = 2.0  # of a request, to compile patterns, and to compare paths with them
OWNERS_LISTED: Final = 100  # with the number of rows of each
OWNERS_COUNTED_FILES: Final = 50_000  # of a repository, for the share without an owner

# An issuer of id tokens
ISSUER_KEY_SET_BYTES: Final = 512 * 1024  # GitHub has a handful of keys, in some kilobytes
ISSUER_KEYS: Final = 100
ISSUER_KEY_ID_CHARACTERS: Final = 200
ISSUER_KEY_BITS_LEAST: Final = 2048
ISSUER_KEY_BITS: Final = 8192

# Whole organisations: backfill and onboarding
FORGE_ANSWER_BYTES: Final = 32 * 1024 * 1024  # of one answer of a forge's API; a page has 100 rows
FORGE_PAGES: Final = 200  # of a list, each of 100 repositories
FORGE_PATTERNS: Final = 100  # of names, and as many topics, in a selection
FORGE_WAIT_SECONDS: Final = 60.0  # for a forge that limits requests, before the command ends
COMMENT_BYTES: Final = 60_000  # of a comment on a pull request; GitHub takes 65,536 characters
MISSING_WITHOUT_INDEX: Final = 20  # projects without an index that a receipt names
BACKFILL_URLS: Final = 1_000  # of one request
UPGRADES_QUEUED: Final = 1_000  # runs that `manage.py upgrade_index` queues without --limit
BACKFILL_ROWS: Final = 200  # repositories on a page of a backfill's progress
BACKFILL_REPOSITORY_BYTES: Final = 4 * 1024**3  # of a clone; AETERNA_BACKFILL_MAX_BYTES
BACKFILL_REPOSITORY_SECONDS: Final = 3_600  # to clone and index; AETERNA_BACKFILL_SECONDS
BACKFILL_LEASE_SECONDS: Final = 120  # a forge may take so long; AETERNA_BACKFILL_LEASE_SECONDS
BACKFILL_AT_ONCE: Final = 2  # repositories of the whole service; AETERNA_BACKFILL_AT_ONCE
BACKFILL_PER_HOUR: Final = 1_000  # clones of an organisation; AETERNA_BACKFILL_PER_HOUR
BACKFILL_ATTEMPTS: Final = 5
BACKFILL_ERROR_CHARACTERS: Final = 500
BACKFILL_OUTPUT_BYTES: Final = 65_536  # of a git or indexer process that are read
ONBOARD_REPOSITORIES: Final = 1_000  # of one command that opens pull requests

# Alerts
SAVED_SEARCHES_OF_PERSON: Final = 20  # in an organisation
SAVED_SEARCHES_OF_ORGANIZATION: Final = 200
SAVED_SEARCH_NAME_CHARACTERS: Final = 100
WATCH_LINES: Final = 10_000  # of a repository that a watched search may find
WATCH_SECONDS: Final = 5.0  # of a look at a repository
WATCH_SWEEP_SECONDS: Final = 20.0  # of an organisation's looks, before its messages
ALERT_SEARCHES: Final = 20  # watched ones that a message lists
ALERT_PROJECTS: Final = 20  # that a message lists, of those with a problem and of the recovered
ALERT_WITHOUT_INDEX_HOURS: Final = 24  # that a new repository may wait for its first index
ALERT_ROWS: Final = 200  # alerts of one answer
ALERT_DETAIL_CHARACTERS: Final = 300  # of an error in a message
ALERT_ADDRESS_CHARACTERS: Final = 2_000
ALERT_SECONDS: Final = 10.0  # of one attempt to deliver
ALERT_ATTEMPTS: Final = 12  # to deliver a message, in about five hours
ALERT_PAUSE_SECONDS: Final = 3_600  # at most, between two attempts
ALERT_INTERVAL_SECONDS: Final = 300  # between two messages of an organisation
ALERT_TEST_SECONDS: Final = 10  # between two tests of a destination

# Colours of code on a page
COLOURED_CHARACTERS: Final = 100_000  # of ordinary code 0.15 s; a longer text is shown plain
PAGE_COLOURED_CHARACTERS: Final = 300_000  # of the files of a page's results, 0.45 s
COLOURING_CPU_SECONDS: Final = 0.3  # for one text; a hostile line of 20 KB would take ten
COLOURING_SECONDS: Final = 5.0  # of waiting for it, on a busy machine
COLOURING_PAUSE_SECONDS: Final = 1.0  # after a text that exceeded the limits

# A provider of the single sign-on
SSO_ANSWER_BYTES: Final = 512 * 1024  # of a provider; a large one's keys are 20 kB
SSO_NAME_CHARACTERS: Final = 150  # as of a user here
SSO_REQUEST_SECONDS: Final = 5.0  # of one request to a provider, however slowly it sends
SSO_SECONDS: Final = 10.0  # of the four requests of one sign-in

# Settings of an organisation
INVITATIONS_OPEN: Final = 100  # of an organisation
INVITATION_DAYS: Final = 30  # that one is valid at most
ORGANIZATION_TOKENS: Final = 500  # of an organisation, valid, that are no person's and no job's
KEYLESS_PATTERNS: Final = 50  # of one list
SETTINGS_ROWS: Final = 100  # of a page of members, tokens or repositories

# Backups
BACKUP_STATEMENT_BYTES: Final = 65_536
BACKUP_MIGRATIONS: Final = 10_000
BACKUP_READER_BYTES: Final = 1_073_741_824  # of memory, of the program that unpacks one
BACKUP_SPACE_CHECK_BYTES: Final = 4_194_304  # written between checks of the free space

# The knowledge graph
NODE_ID_CHARACTERS: Final = 2_000
NODE_TITLE_CHARACTERS: Final = 300
NODE_BODY_BYTES: Final = 262_144
NODE_PROPERTIES_BYTES: Final = 16_384
NODE_PROPERTIES_DEPTH: Final = 20
EDGE_TYPE_CHARACTERS: Final = 40
TRAVERSAL_DEPTH: Final = 5
TRAVERSED_NODES: Final = 1_000
LISTED_NODES: Final = 200  # of a page
RULE_BYTES: Final = 16_384
RULE_DEPTH: Final = 20
RULE_VALUES: Final = 500  # patterns, kinds and others; 99 % of published rules have up to 340
RULE_REGEXES: Final = 100
RULE_VALUE_CHARACTERS: Final = 2_000  # of a pattern or a regular expression
RULE_CPU_SECONDS: Final = 1.0  # to validate it; published rules take up to 0.01
RULE_SECONDS: Final = 10.0  # of waiting for a process that is free, and for its answer
RULE_PROCESSES: Final = 1  # of a server
POLICY_PATTERNS: Final = 100
MATCH_CPU_SECONDS: Final = 2.0  # of one file, all policies together
MATCH_SECONDS: Final = 20.0  # of waiting for it
POLICY_FILES_OVER_LIMIT: Final = 10  # of a repository; then the policy is not run there
MENTIONS_SECONDS: Final = 60.0  # of reading what new files of a repository mention
GRAPH_TURN_SECONDS: Final = 10.0  # of an organisation's documents, and of its repositories
MATCHES_KEPT: Final = 50  # of a policy in a file
MATCH_CHARACTERS: Final = 300
POLICIES: Final = 200  # of an organisation
SEMANTIC_LINKS: Final = 20  # of a document
DOCUMENTS_COMPARED: Final = 10_000
RELATED_CHARACTERS: Final = 4_000  # of a node, used as the query
CONTEXT_TOKENS: Final = 50_000
EXPORTED_BYTES: Final = 64 * 1024**3  # of the downloaded file

# LangChain
CONFIG_YAML_BYTES: Final = 65_536
CONFIG_YAML_DEPTH: Final = 20  # of brackets: PyYAML takes a minute for a file of hundreds
TOOL_INPUT_CHARACTERS: Final = 65_536  # a query whose every character is escaped fits

# ChunkHound
CHUNKHOUND_QUERIES: Final = 20  # of a batch
CHUNKHOUND_BATCH_CHARACTERS: Final = 20_000  # so that one request embeds them all
CHUNKHOUND_RESULTS: Final = 100
CHUNKHOUND_EXPANSION: Final = 100
CHUNKHOUND_EXCLUDE_CHARACTERS: Final = 1_000
CHUNKHOUND_CONTENT_CHARACTERS: Final = 500
CHUNKHOUND_EXPANDED_CHARACTERS: Final = 20_000
CHUNKHOUND_SOURCE_BYTES: Final = 4_194_304
CHUNKHOUND_DATABASE_SECONDS: Final = 30.0
CHUNKHOUND_DATABASE_BYTES: Final = 1_073_741_824  # of memory; the file may be larger
CHUNKHOUND_DATABASE_LANGUAGES: Final = 100  # of a status
CHUNKHOUND_EMBEDDING_SECONDS: Final = 20.0
CHUNKHOUND_RETRY_SECONDS: Final = 15.0
CHUNKHOUND_SECRETS_BYTES: Final = 65_536
CHUNKHOUND_EXPORTED_CHUNKS: Final = 1_000_000  # with vectors a file of some 15 GB

# CodeQuery
CODEQUERY_CONCURRENT: Final = 20  # uploads at once
CODEQUERY_SECONDS: Final = 3_600.0  # of a call: timeout_ms
CODEQUERY_ENTRIES: Final = 200_000  # of directories that are read
CODEQUERY_FILES: Final = 10_000
CODEQUERY_BYTES: Final = 256 * 1024 * 1024  # of all files
CODEQUERY_PATH_CHARACTERS: Final = 512  # of an attribute of OpenAI's
CODEQUERY_IGNORE_BYTES: Final = 262_144  # of one .gitignore
CODEQUERY_IGNORE_PATTERNS: Final = 5_000  # of one .gitignore
CODEQUERY_ATTEMPTS: Final = 10  # retry.max_attempts
CODEQUERY_PAUSE_SECONDS: Final = 60.0  # of retry.backoff_ms and jitter_ms
CODEQUERY_REQUEST_SECONDS: Final = 30.0  # of one request, except for the answer itself
CODEQUERY_STORE_NAME_CHARACTERS: Final = 256
CODEQUERY_STORES: Final = 10_000  # of an account that are searched for a name
CODEQUERY_STORE_FILES: Final = 50_000  # of one vector store
CODEQUERY_API_BYTES: Final = 16 * 1024 * 1024  # of one answer of the API
CODEQUERY_CACHE_BYTES: Final = 16 * 1024 * 1024  # of a file of the cache
CODEQUERY_RESULTS: Final = 50  # max_num_results
CODEQUERY_RESULT_CHARACTERS: Final = 2_000  # of the text of a result
CODEQUERY_ANSWER_TOKENS: Final = 16_000  # that the model may write, its reasoning included
CODEQUERY_LISTED: Final = 200  # of failures or skipped files, in a response
