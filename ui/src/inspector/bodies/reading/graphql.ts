// The operations of a GraphQL request as text: name, document and variables of each (GraphQL over HTTP, section 5).
import { formatGraphql } from "./graphqlDocument";
import { formatJson, readJson, type JsonTree } from "./json";

/** Maximum number of operations that are shown of one request. */
const MAX_OPERATIONS = 200;
const MEMBERS = ["query", "operationName", "variables", "extensions"] as const;

type Members = Partial<Record<(typeof MEMBERS)[number], string>>;

/** Text with `#` before each title, and notes about what could not be laid out. */
export function readGraphql(body: string, isDocument: boolean): { text: string; notes: string[] } {
  if (isDocument) {
    const text = formatGraphql(body);
    return { text: text ?? body, notes: text === null ? [UNFORMATTED] : [] };
  }
  const tree = readJson(body);
  const operations = operationsOf(tree);
  if (operations.length === 0)
    return { text: "", notes: ["This body has no GraphQL query. View it as a tree or as text."] };
  const notes = new Set<string>();
  if (operations.length > MAX_OPERATIONS) notes.add(`Only the first ${MAX_OPERATIONS} operations are shown.`);
  const texts = operations.slice(0, MAX_OPERATIONS).map((members, index) => {
    const { query, operationName, variables, extensions } = members;
    const document = query === undefined ? null : stringOf(query);
    const formatted = document === null ? null : formatGraphql(document);
    if (document !== null && formatted === null) notes.add(UNFORMATTED);
    const name = operationName === undefined ? null : stringOf(operationName);
    const number = operations.length > 1 ? ` ${index + 1}` : "";
    return [
      ...(name !== null || number !== "" ? [`# Operation${number}${name === null ? "" : `: ${name}`}`] : []),
      formatted ?? document ?? "# No document: the server knows it by its hash.",
      ...section("Variables", variables),
      ...section("Extensions", extensions),
    ].join("\n");
  });
  return { text: texts.join("\n\n"), notes: [...notes] };
}

const UNFORMATTED = "The document could not be laid out and is shown as it was sent.";

function operationsOf(tree: JsonTree): Members[] {
  const { nodes } = tree;
  if (nodes.size === 0) return [];
  const [first] = tree.text(0).trimStart();
  if (first === "{") return [membersOf(tree, 0)].filter(isOperation);
  const operations: Members[] = [];
  for (let item = 1; item < nodes.size && operations.length <= MAX_OPERATIONS; item = nodes.next(item))
    operations.push(membersOf(tree, item));
  return operations.filter(isOperation);
}

function isOperation({ query, extensions }: Members): boolean {
  return query?.startsWith('"') === true || extensions?.includes("persistedQuery") === true;
}

function membersOf(tree: JsonTree, object: number): Members {
  const { nodes } = tree;
  const members: Members = {};
  const prefix = `${tree.path(object)}.`;
  for (let member = object + 1; member < nodes.next(object); member = nodes.next(member)) {
    const path = tree.path(member);
    const name = MEMBERS.find((one) => path === prefix + one);
    if (name) members[name] = tree.text(member);
  }
  return members;
}

/** Numbers stay as they were written. */
function section(title: string, json: string | undefined): string[] {
  if (json === undefined || json === "null" || json === "{}") return [];
  return ["", `# ${title}`, formatJson(readJson(json)).text];
}

function stringOf(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
}
