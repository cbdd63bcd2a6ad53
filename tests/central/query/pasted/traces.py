"""Stack traces as languages print them, with the frames that each has, innermost first."""

PYTHON = """Traceback (most recent call last):
  File "/app/src/acme/tokens.py", line 12, in verify
    return jwt.decode(token)
           ^^^^^^^^^^^^^^^^^
  File "/usr/lib/python3.11/site-packages/jwt/api.py", line 3, in decode
    raise KeyError('foo')
KeyError: 'foo'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "<frozen runpy>", line 88, in _run_code
  File "/app/src/acme/main.py", line 1, in <module>
    main()
ValueError: no token"""
NODE = """TypeError: Cannot read properties of undefined (reading 'foo')
    at verify (file:///srv/app/src/x.js:3:4)
    at async Foo.bar (/srv/app/node_modules/express/lib/router/index.js:12:5)
    at new Thing (webpack://app/./src/y.ts?ab12:7:8)
    at webpack-internal:///(app-pages-browser)/./src/z.tsx:1:2
    at Module._compile (node:internal/modules/cjs/loader:1105:14)
    at Object.<anonymous> (C:\\work\\my app\\w.js:5:6)
    at Array.map (<anonymous>) {
  [cause]: Error: closed
      at close (/srv/app/src/cause.js:9:1)
}"""
FIREFOX = """verify@http://localhost:3000/src/App.tsx?t=12:3:4
@http://localhost:3000/static/js/main.js:1:2"""
JAVA = """Exception in thread "main" java.lang.IllegalStateException: outer
\tat com.acme.Foo$Inner.bar(Foo.java:12)
\tat com.acme.Foo.lambda$run$0(Foo.java:13)
\tat app//com.acme.web.Main.<init>(Main.java:5)
\tat java.base/jdk.internal.reflect.NativeMethod.invoke0(Native Method)
\t... 12 more
Caused by: java.lang.NullPointerException: inner
\tat com.acme.Bar.baz(Bar.kt:7)"""
SCALA = """java.lang.RuntimeException: x
\tat com.acme.Store.$anonfun$load$1(Store.scala:40)"""
GO = """panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.(*Server).Handle(0xc000012345, {0x1, 0x2})
\t/go/src/acme/server.go:12 +0x1d
acme.com/pkg.Run.func1()
\t/go/src/acme/run.go:33 +0x44
created by main.main in goroutine 1
\t/go/src/acme/main.go:5 +0x1"""
RUST = """thread 'main' panicked at src/main.rs:4:5:
called `Option::unwrap()` on a `None` value
stack backtrace:
   0: rust_begin_unwind
             at /rustc/abc123/library/std/src/panicking.rs:645:5
   5: acme::tokens::verify::{{closure}}
             at ./src/tokens.rs:12:9"""
RUBY = """app/models/x.rb:3:in 'Foo#bar': no such key (KeyError)
\tfrom app/models/y.rb:5:in `block (2 levels) in run'
\tfrom /usr/lib/ruby/gems/3.0/gems/rack-2.2.3/lib/rack/builder.rb:12:in `call'"""
CSHARP = """Unhandled exception. System.InvalidOperationException: x
   at Acme.Tokens.Verify(String token) in C:\\src\\Acme\\My Tokens.cs:line 12
   at Acme.Web.<>c__DisplayClass1_0.<Run>b__0() in /src/Acme/Web.cs:line 5
   at System.Threading.Task.Run()"""
PHP = """PHP Fatal error:  Uncaught Exception: bad in /var/www/app/src/X.php:12
Stack trace:
#0 /var/www/app/src/Y.php(34): Acme\\Foo->bar('x')
#1 [internal function]: f()
#2 {main}
  thrown in /var/www/app/src/X.php on line 12"""

# A language, then the frames: path:line:column function.
TRACES = {
    PYTHON: """python
usr/lib/python3.11/site-packages/jwt/api.py:3:0 decode
app/src/acme/tokens.py:12:0 verify
app/src/acme/main.py:1:0""",
    NODE: """javascript
srv/app/src/cause.js:9:1 close
srv/app/src/x.js:3:4 verify
srv/app/node_modules/express/lib/router/index.js:12:5 bar
src/y.ts:7:8 Thing
src/z.tsx:1:2
work/my app/w.js:5:6""",
    FIREFOX: """javascript
src/App.tsx:3:4 verify
static/js/main.js:1:2""",
    JAVA: """java
com/acme/Bar.kt:7:0 baz
com/acme/Foo.java:12:0 bar
com/acme/Foo.java:13:0 run
com/acme/web/Main.java:5:0 Main""",
    SCALA: """java
com/acme/Store.scala:40:0 load""",
    GO: """go
go/src/acme/server.go:12:0 Handle
go/src/acme/run.go:33:0 Run
go/src/acme/main.go:5:0 main""",
    RUST: """rust
src/main.rs:4:5
rustc/abc123/library/std/src/panicking.rs:645:5 rust_begin_unwind
src/tokens.rs:12:9 verify""",
    RUBY: """ruby
app/models/x.rb:3:0 bar
app/models/y.rb:5:0 run
usr/lib/ruby/gems/3.0/gems/rack-2.2.3/lib/rack/builder.rb:12:0 call""",
    CSHARP: """csharp
src/Acme/My Tokens.cs:12:0 Verify
src/Acme/Web.cs:5:0 Run""",
    PHP: """php
var/www/app/src/X.php:12:0
var/www/app/src/Y.php:34:0""",
}
