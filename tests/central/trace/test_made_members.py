"""Members of Ruby that a call makes of symbols, and what a class has of a module elsewhere."""

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository

_GEM = "Gem::Specification.new do |s|\n  s.name = '%s'\n  %s\nend\n"


def _lines(found: list[str]) -> list[int]:
    """Return the lines of callers, which are all of high confidence."""
    assert all(one.endswith(" high") for one in found)
    return [int(one.partition(":")[2].partition(" ")[0]) for one in found]


def test_accessors_delegates_and_aliases_are_methods(callers: Callers) -> None:
    repository(
        "gem",
        {
            "acme.gemspec": _GEM % ("acme", ""),
            "lib/acme.rb": """
                class Store
                  def read; end
                  def size; end
                end
                class Cache
                  attr_reader :store
                  attr_accessor :limit
                  def_delegators :@store, :fetch
                  def_delegator :@store, :size, :count
                  delegate :age, to: :store
                  alias again open
                  alias_method :reopen, :open
                  def initialize
                    @store = Store.new
                  end

                  def go(other)
                    store.read
                    limit
                    fetch
                    count
                    age
                    again
                    reopen
                    other.limit
                    other.store.read
                  end
                end
            """,
        },
    )
    for line, name in enumerate(("limit", "fetch", "count", "age", "again", "reopen"), 20):
        assert _lines(callers(f"Cache.{name}")) == [line]
    assert _lines(callers("Store.read")) == [19]


def test_a_class_that_an_instance_asks_for_has_its_members(callers: Callers) -> None:
    repository(
        "gem",
        {
            "acme.gemspec": _GEM % ("acme", ""),
            "lib/acme.rb": """
                class Order
                  def self.build; end
                  def name; end
                  def go
                    self.class.build
                    self.class.name
                  end
                end
            """,
        },
    )
    assert _lines(callers("Order.build")) == [6]
    assert callers("Order.name") == []


def test_a_module_that_a_file_opens_again_has_what_it_requires(callers: Callers) -> None:
    repository(
        "base",
        {
            "base.gemspec": _GEM % ("base", ""),
            "lib/base.rb": "module Base\n  class Request\n    def host; end\n  end\nend\n",
        },
    )
    repository(
        "guard",
        {
            "guard.gemspec": _GEM % ("guard", "s.add_dependency 'base'"),
            "lib/base/guard.rb": 'require "base"\nmodule Base\n  module Guard\n  end\nend\n',
            "lib/base/guard/hosts.rb": """
                require "base/guard"
                module Base
                  module Guard
                    class Hosts
                      def go(env)
                        Base::Request.new(env).host
                        Request.new(env).host
                        Base::Other.new(env).host
                      end
                    end
                  end
                end
            """,
        },
    )
    assert _lines(callers("Base.Request.host")) == [7, 8]
