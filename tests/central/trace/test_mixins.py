"""Members that a class has from a trait, a module or a trait's default, not from a base class."""

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository

_PHP = {
    "composer.json": '{"name": "acme/api", "autoload": {"psr-4": {"App\\\\": "app/"}}}',
    "app/Audits.php": """<?php
        namespace App;
        trait Audits {
            protected function audit() {}
            protected function store() {}
        }
    """,
    "app/Logs.php": """<?php
        namespace App;
        trait Logs {
            protected function store() {}
        }
    """,
    "app/Order.php": """<?php
        namespace App;
        class Order {
            use Audits { audit as protected writeAudit; }
            public function audit() {
                $this->audit();
                $this->writeAudit();
            }
        }
        class Bill {
            use Audits, Logs {
                Logs::store insteadof Audits;
                Audits::store as storeAudit;
            }
            public function save() {
                $this->store();
                $this->storeAudit();
                $this->audit();
            }
        }
        class Note {
            use Audits { audit as protected low; }
            public function low() {}
            public function go() {
                $this->low();
            }
        }
    """,
}


def test_a_method_of_a_php_trait_is_called_under_its_alias(callers: Callers) -> None:
    repository("api", _PHP)
    assert callers("Audits.audit") == [
        "api/app/Order.php:7 Order.audit high",
        "api/app/Order.php:18 Bill.save high",
    ]


def test_an_own_method_of_php_comes_before_one_of_a_trait(callers: Callers) -> None:
    repository("api", _PHP)
    assert callers("Note.low") == ["api/app/Order.php:25 Note.go high"]


def test_of_two_php_traits_the_class_says_whose_method_it_has(callers: Callers) -> None:
    repository("api", _PHP)
    assert callers("Audits.store") == ["api/app/Order.php:17 Bill.save high"]
    assert callers("Logs.store") == ["api/app/Order.php:16 Bill.save high"]


_RUST = """
    pub trait Matcher {
        fn find(&self) -> bool { true }
        fn matches(&self) -> bool { self.find() }
    }
    pub trait Other { fn find(&self) -> bool { true } }
    pub trait Wide where Self: Matcher { fn wide(&self) -> bool { self.find() } }
    pub fn bound<M: Clone + Matcher>(m: &M) { m.find(); M::find(m); }
    pub fn whereby<M, N>(m: &M, n: &N)
    where
        M: Clone + Matcher,
        N: Other,
    {
        m.find();
        n.find();
    }
    pub fn unbound<M>(m: &M) { m.find(); }
"""


def test_a_rust_type_parameter_has_the_methods_of_the_trait_that_bounds_it(
    callers: Callers,
) -> None:
    manifest = '[package]\nname = "grep"\nversion = "0.1.0"\n'
    repository("lib", {"Cargo.toml": manifest, "src/lib.rs": _RUST})
    assert callers("Matcher.find") == [
        "lib/src/lib.rs:4 Matcher.matches high",
        "lib/src/lib.rs:7 Wide.wide high",
        "lib/src/lib.rs:8 bound high",
        "lib/src/lib.rs:8 bound high",
        "lib/src/lib.rs:14 whereby high",
    ]
    assert callers("Other.find") == ["lib/src/lib.rs:15 whereby high"]


_RAILS = {
    "Gemfile": "source 'https://rubygems.org'\n",
    "app/base.rb": """
        class Base
          def sign_in = 1
          def ready? = true
        end
    """,
    "app/tags.rb": """
        module Tags
          included do
            before_save :clean
          end
          module ClassMethods
            def untagged = 1
          end
          def clean = 1
        end
    """,
    "app/post.rb": """
        class Post < Base
          include Tags
          before_action :sign_in, :load, if: :ready?
          delegate :name, to: :author
          attr_reader :load
          scope :clean
          alias_method :fetch, :load
          def load = send(:author)
          def author = 1
        end
        class Page
          before_action :load
        end
        Post.untagged
        Page.untagged
    """,
}


def test_a_symbol_of_ruby_names_a_method_of_the_class_around_it(callers: Callers) -> None:
    repository("app", _RAILS)
    assert callers("Tags.clean") == ["app/app/tags.rb:4 <module> high"]
    assert callers("Base.sign_in") == ["app/app/post.rb:4 Post high"]
    assert callers("Base.ready?") == ["app/app/post.rb:4 Post high"]
    assert callers("Post.load") == ["app/app/post.rb:4 Post high", "app/app/post.rb:8 Post high"]
    assert callers("Post.author") == [
        "app/app/post.rb:5 Post high",
        "app/app/post.rb:9 Post.load high",
    ]


def test_what_includes_a_module_of_ruby_has_its_class_methods(callers: Callers) -> None:
    repository("app", _RAILS)
    [found] = callers("untagged")
    assert found == "app/app/post.rb:15 <module> high"


def test_what_a_php_class_has_goes_before_what_its_interfaces_declare(callers: Callers) -> None:
    repository(
        "api",
        {
            "composer.json": '{"name": "acme/api", "autoload": {"psr-4": {"App\\\\": "app/"}}}',
            "app/Order.php": """<?php
                namespace App;
                interface Shows { public function show(); public function name(); }
                trait Formats { public function show() {} public function low() {} }
                class Record { public function name() {} public function low() {} }
                class Entry extends Record {}
                class Order extends Entry implements Shows { use Formats; }
                function go(Order $order, Shows $any) {
                    $order->show();
                    $order->name();
                    $order->low();
                    $any->show();
                }
            """,
        },
    )
    assert callers("Formats.show") == ["api/app/Order.php:9 go high"]
    assert callers("Record.name") == ["api/app/Order.php:10 go high"]
    assert callers("Formats.low") == ["api/app/Order.php:11 go high"]
    assert callers("Record.low") == []
    assert callers("Shows.show") == ["api/app/Order.php:12 go high"]


def test_the_last_module_of_ruby_goes_before_the_superclass(callers: Callers) -> None:
    repository(
        "api",
        {
            "acme.gemspec": "Gem::Specification.new { |s| s.name = 'acme' }",
            "lib/acme.rb": """
                module First
                  def show; end
                end
                module Last
                  def show; end
                end
                class Base
                  def show; end
                end
                class Order < Base
                  include First
                  include Last
                  def go
                    show
                  end
                end
            """,
        },
    )
    assert callers("Last.show") == ["api/lib/acme.rb:15 Order.go high"]
    assert callers("First.show") == callers("Base.show") == []
