"""C and C++: what a header declares and another file defines."""

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository

_OTHER_PROGRAM = {
    "other.c": """
        static int push(int x) { return x; }
        int other(void) { return push(2); }
    """,
}


def test_a_function_is_called_where_its_header_is_included(callers: Callers) -> None:
    repository(
        "buffers",
        {
            "buf.h": "int push(int x);\nint grow(int x);\n",
            "all.h": '#include "buf.h"\n',
            "buf.c": '#include "buf.h"\nint push(int x) { return x; }\n',
            "main.c": '#include "all.h"\nint main(void) { return push(1); }\n',
            "script.py": "def push(x): ...\n",
            **_OTHER_PROGRAM,
        },
    )
    assert callers("push", file="buf.c") == ["buffers/main.c:2 main high"]
    assert callers("push", file="other.c") == ["buffers/other.c:3 other high"]
    assert callers("push", file="script.py") == []


def test_a_function_that_several_files_define_is_possible_in_each(callers: Callers) -> None:
    repository(
        "system",
        {
            "os.h": "int wait_for(int x);\n",
            "os_linux.c": '#include "os.h"\nint wait_for(int x) { return x; }\n',
            "os_windows.c": '#include "os.h"\nint wait_for(int x) { return x; }\n',
            "unrelated.c": "int wait_for(int x) { return x; }\n",
            "main.c": '#include "os.h"\nint main(void) { return wait_for(1); }\n',
        },
    )
    assert callers("wait_for", file="os_linux.c") == ["system/main.c:2 main medium"]
    assert callers("wait_for", file="os_windows.c") == ["system/main.c:2 main medium"]
    assert callers("wait_for", file="unrelated.c") == []


def test_a_prototype_in_the_callers_file_means_the_only_definition(callers: Callers) -> None:
    repository(
        "old",
        {
            "win.c": "int price(int x) { return x; }\nint tax(int x) { return x; }\n",
            "tax.c": "int tax(int x) { return x; }\n",
            "main.c": """
                int price(int);
                int tax(int);
                int main(void) { return price(2) + tax(2); }
            """,
        },
    )
    assert callers("price") == ["old/main.c:4 main medium"]
    assert callers("tax") == []


def test_members_are_defined_outside_of_their_class(callers: Callers) -> None:
    repository(
        "boxes",
        {
            "box.hpp": """
                namespace b {
                int open(int x);
                class Base { public: int id(); };
                class Box : public Base {
                 public:
                  Box(int size);
                  static Box* make();
                  int size() const;
                  Box* copy(Box* other);
                  int all();
                 private:
                  Box* next_ = nullptr;
                };
                template <class T> T twice(T value);
                }
                #include "box.tpp"
            """,
            "box.tpp": """
                namespace b {
                template <class T> T twice(T value) { return value; }
                }
            """,
            "box.cpp": """
                #include "box.hpp"
                namespace {
                int open(int x) { return x; }
                }
                namespace b {
                int open(int x) { return x; }
                Box::Box(int size) {}
                Box* Box::make() { return new Box(1); }
                int Box::size() const { return 1; }
                int Base::id() { return 1; }
                }
            """,
            "more.cpp": """
                #include "box.hpp"
                namespace b {
                Box* Box::copy(Box* other) {
                  other->size();
                  return next_->copy(other);
                }
                int Box::all() {
                  return this->size() + id();
                }
                }
            """,
            "main.cpp": """
                #include "box.hpp"
                int main() {
                  b::Box box(2);
                  box.size();
                  b::Box::make()->id();
                  b::twice(1);
                  return b::open(1);
                }
            """,
            "other.cpp": """
                #include "other.hpp"
                namespace b {
                class Box { public: int size(); };
                int Box::size() { return 1; }
                int twice(int x) { return x; }
                }
            """,
        },
    )
    assert callers("b.Box.size", file="box.cpp") == [
        "boxes/main.cpp:5 main high",
        "boxes/more.cpp:5 b.Box.copy high",
        "boxes/more.cpp:9 b.Box.all high",
    ]
    assert callers("b.Box.size", file="other.cpp") == []
    assert callers("b.Box.make") == ["boxes/main.cpp:6 main high"]
    assert callers("b.Box.copy") == ["boxes/more.cpp:6 b.Box.copy high"]
    assert callers("b.Base.id") == [
        "boxes/main.cpp:6 main high",
        "boxes/more.cpp:9 b.Box.all high",
    ]
    assert callers("b.open") == ["boxes/main.cpp:8 main high"]
    assert callers("b.twice", file="box.tpp") == ["boxes/main.cpp:7 main high"]
    assert callers("b.twice", file="other.cpp") == []


def test_a_header_is_found_by_the_end_of_its_path(callers: Callers) -> None:
    repository(
        "parser",
        {
            "include/parser/lex.h": "int lex(int x);\n",
            "src/lex.c": '#include "parser/lex.h"\nint lex(int x) { return x; }\n',
            "src/quoted.c": '#include "parser/lex.h"\nint quoted(void) { return lex(1); }\n',
            "src/angled.c": "#include <parser/lex.h>\nint angled(void) { return lex(1); }\n",
            "src/all.h": "#include <parser/lex.h>\n",
            "src/through.c": '#include "all.h"\nint through(void) { return lex(1); }\n',
            "src/other.c": '#include "other/lex.h"\nint other(void) { return lex(1); }\n',
        },
    )
    assert callers("lex") == [
        "parser/src/angled.c:2 angled medium",
        "parser/src/quoted.c:2 quoted high",
        "parser/src/through.c:2 through medium",
    ]


def test_the_nearest_of_several_headers_is_meant_if_it_is_one(callers: Callers) -> None:
    def program(name: str) -> dict[str, str]:
        return {
            f"{name}/include/util.h": "int util(int x);\nint string_length(int x);\n",
            f"{name}/include/string.h": "int string_length(int x);\n",
            f"{name}/lib/util.c": """
                #include "util.h"
                int util(int x) { return x; }
                int string_length(int x) { return x; }
            """,
            f"{name}/src/main.c": '#include "util.h"\nint main(void) { return util(1); }\n',
            f"{name}/src/text.c": """
                #include <string.h>
                int text(void) { return string_length(1); }
            """,
        }

    repository(
        "programs",
        {
            **program("one"),
            **program("two"),
            "main.c": '#include "util.h"\nint main(void) { return util(1); }\n',
        },
    )
    assert callers("util", file="one/lib/util.c") == ["programs/one/src/main.c:2 main medium"]
    assert callers("string_length") == []


def test_a_macro_before_a_name_is_no_name(callers: Callers) -> None:
    repository(
        "ui",
        {
            "core/widget.h": """
                #include "core/api.h"
                namespace ui {
                class CORE_API Node {
                 public:
                  virtual ~Node();
                };
                class CORE_API Widget : public Node {
                 public:
                  void paint();
                  int id() const { return id_; }
                 private:
                  int id_;
                };
                CORE_API Widget* makeWidget(int id);
                }
            """,
            "core/widget.cpp": """
                #include "core/widget.h"
                namespace ui {
                void Widget::paint() {}
                CORE_API Widget* makeWidget(int id) { return new Widget(id); }
                }
            """,
            "app/main.cpp": """
                #include "core/widget.h"
                void draw(ui::Widget* w) {
                  w->paint();
                }
                int main() {
                  auto* made = ui::makeWidget(3);
                  return made->id();
                }
            """,
        },
    )
    assert callers("ui.Widget", kind="new") == ["ui/core/widget.cpp:5 ui.makeWidget high"]
    assert callers("ui.Node", kind="inherit") == ["ui/core/widget.h:8 ui.Widget high"]
    assert callers("ui.Widget.paint") == ["ui/app/main.cpp:4 draw high"]
    assert callers("ui.Widget.id") == ["ui/app/main.cpp:8 main high"]


def test_a_used_namespace_is_looked_in_after_what_stands_around(callers: Callers) -> None:
    repository(
        "geometry",
        {
            "shape.hpp": """
                namespace geo {
                class Shape { public: void scale() {} };
                inline namespace v2 { int version() { return 2; } }
                namespace detail { int helper() { return 1; } }
                int both() { return 1; }
                int area() { return 1; }
                }
                namespace other {
                class Shape { public: void scale() {} };
                int both() { return 1; }
                int hidden() { return 1; }
                }
                int area() { return 2; }
            """,
            "main.cpp": """
                #include "shape.hpp"
                using namespace geo;
                using namespace geo::detail;
                void run(Shape& shape) {
                  shape.scale();
                  geo::version();
                  helper();
                  area();
                  hidden();
                }
            """,
            "both.cpp": """
                #include "shape.hpp"
                using namespace geo;
                using namespace other;
                int run() { return both(); }
            """,
        },
    )
    assert callers("geo.Shape.scale") == ["geometry/main.cpp:6 run high"]
    assert callers("other.Shape.scale") == []
    assert callers("geo.version") == ["geometry/main.cpp:7 run high"]
    assert callers("geo.detail.helper") == ["geometry/main.cpp:8 run high"]
    assert callers("geo.area") == []
    assert callers("area") == ["geometry/main.cpp:9 run high"]
    assert callers("other.hidden") == []
    assert callers("geo.both") == ["geometry/both.cpp:5 run medium"]
    assert callers("other.both") == ["geometry/both.cpp:5 run medium"]


def test_a_pure_virtual_function_is_a_definition(callers: Callers) -> None:
    repository(
        "stores",
        {
            "store.hpp": """
                class Store {
                 public:
                  virtual int get(int key) = 0;
                  virtual Store* next() = 0;
                  int size = 0;
                };
            """,
            "main.cpp": """
                #include "store.hpp"
                int main(Store* store) {
                  return store->get(1) + store->next()->get(2);
                }
            """,
        },
    )
    assert callers("Store.get") == ["stores/main.cpp:4 main high"] * 2
    assert callers("Store.next") == ["stores/main.cpp:4 main high"]


def test_names_of_classes_are_found_where_headers_share_a_namespace(callers: Callers) -> None:
    repository(
        "db",
        {
            "include/db/slice.h": """
                namespace db {
                class Slice {
                 public:
                  Slice() {}
                  int size() const { return 1; }
                };
                class Iterator {
                 public:
                  Iterator();
                  virtual void next() = 0;
                };
                }
            """,
            "db/format.h": """
                #include "db/slice.h"
                namespace db {
                class Versions;
                struct Contents { Slice data; };
                Contents read();
                class Impl {
                 public:
                  int run(const Contents& contents);
                  Versions* const versions_ GUARDED_BY(mutex_);
                };
                }
            """,
            "db/versions.h": """
                namespace db {
                class Versions { public: int count() { return 1; } };
                }
            """,
            "db/impl.cc": """
                #include "db/format.h"
                #include "db/versions.h"
                namespace db {
                class Wrapper : public Iterator {
                 public:
                  Wrapper(Iterator* inner)
                      :
                #ifdef DEBUG
                        debug_(true),
                #endif
                        inner_(inner) {}
                  void next() override { inner_->next(); }
                 private:
                  Iterator* inner_;
                };
                #ifdef WINDOWS
                int left() { return 1; }
                #else
                int right() { return 1; }
                #endif
                int Impl::run(const Contents& contents) {
                  struct Local { int go() { return 1; } } local;
                  local.go();
                  return contents.data.size() + versions_->count() + Slice().size()
                      + left() + right();
                }
                }
            """,
        },
    )
    assert callers("db.Slice.size") == ["db/db/impl.cc:25 db.Impl.run high"] * 2
    assert callers("db.left") == callers("db.right") == ["db/db/impl.cc:26 db.Impl.run high"]
    assert callers("db.Versions.count") == ["db/db/impl.cc:25 db.Impl.run medium"]
    assert callers("db.Iterator.next") == ["db/db/impl.cc:13 db.Wrapper.next high"]
    assert callers("db.Impl.run.Local.go") == ["db/db/impl.cc:24 db.Impl.run high"]


def test_an_overload_in_another_file_is_possible_too(callers: Callers) -> None:
    repository(
        "printers",
        {
            "printer.h": """
                class Printer {
                 public:
                  void write(const char* text) { write(text, 1); }
                  void write(const char* text, int size);
                  void end() {}
                  void both();
                };
                inline void Printer::both() {}
            """,
            "printer.cpp": """
                #include "printer.h"
                void Printer::write(const char* text, int size) {}
            """,
            "main.cpp": """
                #include "printer.h"
                void run(Printer* printer) {
                  printer->write("a");
                  printer->end();
                  printer->both();
                }
            """,
        },
    )
    uses = ["printers/main.cpp:4 run medium", "printers/printer.h:4 Printer.write medium"]
    assert callers("Printer.write", file="printer.h") == uses
    assert callers("Printer.write", file="printer.cpp") == uses
    assert callers("Printer.end") == ["printers/main.cpp:5 run high"]
    assert callers("Printer.both") == ["printers/main.cpp:6 run high"]
