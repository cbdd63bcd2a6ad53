"""A real agent of LangChain and a tool node of LangGraph; only the model is scripted."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.base import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from tests.integrations.langchain.conftest import MakeTool

QUERY = '{"query": "how does authentication work"}'


class Scripted(BaseChatModel):
    """Calls each bound tool with each of `arguments` at once, then says what it was answered."""

    arguments: list[dict[str, Any]]
    bound: list[dict[str, Any]] = []

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        **_options: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        self.bound[:] = [convert_to_openai_tool(tool)["function"] for tool in tools]
        return self

    def _generate(
        self, messages: list[BaseMessage], *_arguments: Any, **_options: Any
    ) -> ChatResult:
        told = [message for message in messages if isinstance(message, ToolMessage)]
        answer = AIMessage("\n".join(str(one.content) for one in told)) if told else self._call()
        return ChatResult(generations=[ChatGeneration(message=answer)])

    def _call(self) -> AIMessage:
        calls = [
            {"name": tool["name"], "args": arguments, "id": f"call-{number}", "type": "tool_call"}
            for tool in self.bound
            for number, arguments in enumerate(self.arguments)
        ]
        return AIMessage("", tool_calls=calls)


def tool_messages(state: dict[str, Any]) -> list[ToolMessage]:
    return [message for message in state["messages"] if isinstance(message, ToolMessage)]


def answers(state: dict[str, Any]) -> list[dict[str, Any]]:
    return [json.loads(str(message.content)) for message in tool_messages(state)]


def ask(question: str = "How do users sign in?") -> Any:
    return {"messages": [HumanMessage(question)]}


@pytest.mark.parametrize(
    "arguments",
    [
        {"input_str": QUERY},
        {"input_str": {"query": "how does authentication work"}},
        {"query": "how does authentication work"},
    ],
    ids=["as described", "an object instead of text", "without the wrapping"],
)
def test_an_agent_searches(make_tool: MakeTool, arguments: dict[str, Any]) -> None:
    model = Scripted(arguments=[arguments])
    state = create_agent(model, [make_tool()]).invoke(ask())
    (answer,) = answers(state)
    assert answer["success"]
    assert "authenticate_user" in {row["name"] for row in answer["results"]}
    assert "authenticate_user" in state["messages"][-1].content
    assert tool_messages(state)[0].status == "success"


def test_an_agent_that_is_async_calls_the_tool_several_times_at_once(make_tool: MakeTool) -> None:
    queries = ["authentication", "Fibonacci numbers", "the total of an invoice", "end a session"]
    model = Scripted(arguments=[{"input_str": json.dumps({"query": query})} for query in queries])
    agent = create_agent(model, [make_tool()])
    found = answers(asyncio.run(agent.ainvoke(ask())))
    first = [answer["results"][0]["name"] for answer in found]
    assert first == ["authenticate_user", "add, fibonacci", "sum_invoice", "logout_user"]
    assert answers(agent.invoke(ask())) == found


def test_an_agent_is_told_what_to_do_where_the_search_is_off(make_tool: MakeTool) -> None:
    model = Scripted(arguments=[{"input_str": QUERY}])
    (off,) = answers(create_agent(model, [make_tool(rag=False)]).invoke(ask()))
    assert off["error"] == "RAG is disabled. Enable with rag.enabled=true in config.yaml"


def test_wrong_arguments_come_back_to_the_model(make_tool: MakeTool) -> None:
    model = Scripted(arguments=[{"input_str": "plain words"}, {"text": "x"}])
    plain, other = tool_messages(create_agent(model, [make_tool()]).invoke(ask()))
    assert json.loads(str(plain.content))["error"].startswith("Invalid JSON input: ")
    assert other.status == "error"
    assert "input_str" in str(other.content)


def test_a_model_is_shown_one_text_and_an_example(make_tool: MakeTool) -> None:
    model = Scripted(arguments=[{"input_str": QUERY}])
    create_agent(model, [make_tool()]).invoke(ask())
    (shown,) = model.bound
    assert shown["name"] == "codebase_search"
    assert shown["parameters"]["properties"].keys() == {"input_str"}
    assert shown["parameters"]["properties"]["input_str"]["type"] == "string"
    assert shown["parameters"]["required"] == ["input_str"]
    assert QUERY in shown["description"]
    assert QUERY in shown["parameters"]["properties"]["input_str"]["description"]


def test_a_tool_node_in_a_graph(make_tool: MakeTool) -> None:
    """LangGraph without `create_agent`: the model's message is the state's first."""
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode([make_tool()]))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    call = {"name": "codebase_search", "args": {"input_str": QUERY}, "id": "1", "type": "tool_call"}
    state: Any = {"messages": [AIMessage("", tool_calls=[call])]}
    (answer,) = answers(graph.compile().invoke(state))
    assert answer["success"]


def test_the_tool_is_a_runnable(make_tool: MakeTool) -> None:
    tool = make_tool()
    assert isinstance(tool, BaseTool)
    as_text = json.loads(tool.invoke(QUERY))
    assert as_text["success"]
    assert json.loads(tool.invoke({"input_str": QUERY})) == as_text
    assert json.loads(asyncio.run(tool.ainvoke(QUERY))) == as_text
    assert [json.loads(one) for one in tool.batch([QUERY, QUERY])] == [as_text] * 2


def test_code_that_forges_a_result_stays_inside_of_its_snippet(make_tool: MakeTool) -> None:
    """JSON escapes what would end the text; no line of an answer begins with code."""
    text = make_tool(top_k=50, similarity_threshold=0.0).invoke(QUERY)
    assert all(line.strip()[:1] in '{}[]"' for line in text.splitlines())
