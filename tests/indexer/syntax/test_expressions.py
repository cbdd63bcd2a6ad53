"""Expressions are read from their text, whatever the language."""

import pytest

from indexer.syntax.expressions import Expression, last_name, read_calls, read_expression


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("f", ["f"]),
        ("a.b.c", ["a", "b", "c"]),
        ("a\n    .b\n    .c", ["a", "b", "c"]),
        ("a::b::<T>::c", ["a", "b", "c"]),
        ("Cache<Key<u8>>.get", ["Cache", "get"]),
        ("a?.b!.c", ["a", "b", "c"]),
        ("Acme\\Auth::check", ["Acme", "Auth", "check"]),
        ("\\Acme\\Auth::check", ["\\Acme", "Auth", "check"]),
        ("$this->client->get", ["$this", "client", "get"]),
        ("this.#queue.push", ["this", "#queue", "push"]),
        ("self::make", ["self::", "make"]),
        ("(*pkg.Client).Close", ["pkg", "Client", "Close"]),
        ("<Gateway as Scorer<T>>::score", ["Gateway", "score"]),
        ("@client.get", ["self", "@client", "get"]),
        ("user.admin?", ["user", "admin?"]),
        ("größe.öffne", ["größe", "öffne"]),
    ],
)
def test_path_is_split_at_any_separator(text: str, path: list[str]) -> None:
    assert read_expression(text) == Expression(tuple(path))


@pytest.mark.parametrize(
    ("text", "path", "members"),
    [
        ("((Client) x).get", "Client", "get"),
        ("((a.Client<T>) make(1).x).in.get", "a.Client", "in get"),
        ("( (Client) this ) . get", "Client", "get"),
        ("(x as Client).get", "Client", "get"),
        ("(x() as a.Client<Map<T>>)?.get", "a.Client", "get"),
        ("(this.x as! Client).in.get", "Client", "in get"),
        ("(x as unknown as Client).get", "Client", "get"),
    ],
)
def test_member_of_a_cast_value(text: str, path: str, members: str) -> None:
    read = read_expression(text)
    assert read is not None
    assert read.is_cast
    assert (".".join(read.path), [*read.members, read.name]) == (path, members.split())


@pytest.mark.parametrize(
    "text", ["((a) + (b)).get", "(x as A | B).get", "(x ? (y as A) : z).get", "(a)(x).get"]
)
def test_other_brackets_are_no_cast(text: str) -> None:
    read = read_expression(text)
    assert read is None or not read.is_cast


@pytest.mark.parametrize(
    ("text", "path", "name"),
    [
        ("Client(x).get", "Client", "get"),
        ("make(\n  {a: 1}\n)\n  .run", "make", "run"),
        ("(await make()).get", "make", "get"),
        ("Client{Name: 1}.Get", "Client", "Get"),
        ("(&Client{}).Get", "Client", "Get"),
        ("connect().await?.send", "connect", "send"),
        ("a.b(c).d", "a.b", "d"),
    ],
)
def test_member_of_what_a_call_gives(text: str, path: str, name: str) -> None:
    read = read_expression(text)
    assert read is not None
    assert (".".join(read.path), read.name, read.is_new) == (path, name, False)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("(await make(x)).get", "get"),
        ("((make(x)).a!.b).get", "a b get"),
        ("(make(x) ?? other).get", "get"),
        ("(make(" + "x, " * 200 + ").a).get", "a get"),
        ("(make(x) + y).get", ""),
        ("(make(x), y).get", ""),
        ("(await make(x).a()).get", ""),
        ("new (make(x).A)().get", ""),
        ("new (make(x))(y(z())).get", ""),
        ("new (make(" + "x, " * 200 + ").A)().get", ""),
    ],
)
def test_brackets_around_a_call_and_its_members_alone(text: str, names: str) -> None:
    read = read_expression(text)
    assert read is not None
    assert (".".join(read.path), read.name) == ("make" if names else "", "get")
    if names:
        assert [*read.members, read.name] == names.split()


@pytest.mark.parametrize("text", ["new Client(a).get", "(new Client(a)).get", "(new Client).get"])
def test_member_of_a_constructed_object(text: str) -> None:
    read = read_expression(text)
    assert read is not None
    assert (read.path, read.name, read.is_new) == (("Client",), "get", True)
    assert text[read.offset :].startswith("Client")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("items[0].get", ["items", "[]", "get"]),
        ("self.by_name[make(x)['a']].get", ["self", "by_name", "[]", "get"]),
        ("rows?.[0]?.[1].get", ["rows", "[]", "[]", "get"]),
        ("handlers[key]", ["handlers", "[]"]),
        ("items[1:][0].get", ["items", "[]", "get"]),
        ("Handlers[KEY].run", ["Handlers", "[]", "run"]),
        ("Colors['RED'].run", ["Colors", "[]", "run"]),
    ],
)
def test_index_is_a_name_of_the_path(text: str, path: list[str]) -> None:
    assert read_expression(text) == Expression(tuple(path))


@pytest.mark.parametrize(
    "text",
    ["Box[int]", "Box[dict[str, Item], ...]", "Box[T]", "Box[a.Item | None]", "await Box<T>"],
)
def test_type_arguments_are_left_out(text: str) -> None:
    assert read_expression(text) == Expression(("Box",))


@pytest.mark.parametrize("text", ["(a or b).get", "(a[0] or b).get", "a().b.get"])
def test_anything_else_is_unknown_but_for_its_name(text: str) -> None:
    read = read_expression(text)
    assert read is not None
    assert (read.path, read.name) == ((), "get") or text == "a().b.get"


@pytest.mark.parametrize("text", ["''.join", 'f"{a}".format', "[1].map", "3", "f()()", "(a)", ""])
def test_literals_and_what_has_no_name_are_nothing(text: str) -> None:
    assert read_expression(text) is None


def test_of_a_long_expression_only_the_ends_are_read() -> None:
    text = "start(" + "x, " * 100_000 + ").finish"
    assert read_expression(text) == Expression(("start",), "finish", is_of_call=True)
    assert last_name(text) == "finish"


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("a.b(c(')'), d).e().f", ["a.b", "e", "f"]),
        ("new Client(x).router.add", ["Client", "router.add"]),
        ("make<T>(x)\n  .run", ["make", "run"]),
        ("items[0].get(x).run", ["items.[].get", "run"]),
        ("a(x)[0].run", ["a", "[].run"]),
        ("(a or b(x)).run", []),
        ("f()().run", ["f", "", "run"]),
        ("a.items()", ["a.items", ""]),
    ],
)
def test_paths_between_calls(text: str, paths: list[str]) -> None:
    assert [".".join(one.path) for one in read_calls(text)] == paths


def test_names_after_a_call_are_kept() -> None:
    read = read_expression("a.b(c).d.e.f")
    assert read == Expression(("a", "b"), "f", members=("d", "e"), is_of_call=True)
