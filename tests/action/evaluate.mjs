// GitHub's own evaluator of expressions, over lines of JSON on standard input and output.
//
// Request:  {"templates": [text…], "conditions": [text…], "contexts": {name: value}, "status": "success"}
// Answer:   {"templates": [text…], "conditions": [boolean…]}, or {"error": message}
//
// A template is a text with `${{ … }}` inside; a condition is what stands after `if:`. The status is that
// of the job or action so far: success, failure or cancelled.

import { createInterface } from "node:readline";
import { Evaluator, Lexer, Parser, data } from "@actions/expressions";
import { truthy } from "@actions/expressions/result";
import { ensureStatusFunction } from "@actions/workflow-parser/model/converter/if-condition";

const STATUS_FUNCTIONS = ["success", "failure", "cancelled", "always"];
const SEGMENTS = /\$\{\{((?:'[^']*'|[^'])*?)\}\}/g;

function evaluate(text, { contexts, status }) {
  const functions = STATUS_FUNCTIONS.map((name) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(name === "always" || name === status),
  }));
  const values = JSON.parse(JSON.stringify(contexts), data.reviver);
  const tokens = new Lexer(text).lex().tokens;
  const tree = new Parser(tokens, Object.keys(contexts), functions).parse();
  return new Evaluator(tree, values, new Map(functions.map((f) => [f.name, f]))).evaluate();
}

function fill(template, request) {
  return template.replace(SEGMENTS, (_, text) => evaluate(text, request).coerceString());
}

function holds(condition, request) {
  const [segment] = condition.trim().match(SEGMENTS) ?? [];
  if (segment && segment !== condition.trim()) {
    throw new Error(`text around an expression makes a condition true whatever it says: ${condition}`);
  }
  const text = (segment ? segment.slice("${{".length, -"}}".length) : condition).trim();
  const allowedContext = [
    ...Object.keys(request.contexts),
    ...STATUS_FUNCTIONS.map((name) => `${name}(0,0)`),
  ];
  return truthy(evaluate(text ? ensureStatusFunction(text, { allowedContext }) : "success()", request));
}

function answer(line) {
  const request = { status: "success", templates: [], conditions: [], ...JSON.parse(line) };
  return {
    templates: request.templates.map((template) => fill(template, request)),
    conditions: request.conditions.map((condition) => holds(condition, request)),
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  let result;
  try {
    result = answer(line);
  } catch (error) {
    result = { error: error.message };
  }
  process.stdout.write(JSON.stringify(result) + "\n");
}
