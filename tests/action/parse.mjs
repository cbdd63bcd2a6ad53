// GitHub's own parser of workflows and of actions, once for the files of a request on standard input.
//
// Request:  {"files": {path: text}, "called": {"owner/name/path@version": text}}
// Answer:   {path: [error…]}
//
// `called` are reusable workflows that the files may call: inputs and secrets are checked too.

import { register } from "node:module";
import { text } from "node:stream/consumers";

// Node wants an import attribute where the package imports its schema; bundlers, for which it is made, do not.
const hook = `export const load = (url, context, next) =>
  next(url, url.endsWith(".json") ? { ...context, importAttributes: { type: "json" } } : context);`;
register("data:text/javascript," + encodeURIComponent(hook));

const { convertWorkflowTemplate, parseWorkflow, NoOperationTraceWriter } = await import(
  "@actions/workflow-parser"
);
const { parseAction } = await import("@actions/workflow-parser/actions/action-parser");

const { files, called } = JSON.parse(await text(process.stdin));
const trace = new NoOperationTraceWriter();
const provider = {
  async getFileContent({ owner, repository, path, version }) {
    const name = `${owner}/${repository}/${path}@${version}`;
    return { name, content: called[name] };
  },
};

async function errors(name, content) {
  const parse = name.endsWith("action.yml") ? parseAction : parseWorkflow;
  const { context, value } = parse({ name, content }, trace);
  if (parse === parseWorkflow && value) {
    await convertWorkflowTemplate(context, value, provider, { fetchReusableWorkflowDepth: 1 });
  }
  return context.errors.getErrors().map((error) => error.message);
}

const answers = Object.entries(files).map(async ([name, content]) => [name, await errors(name, content)]);
process.stdout.write(JSON.stringify(Object.fromEntries(await Promise.all(answers))));
