import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { cleanText } from '../../platform/http/bodies/read-body.ts';
import type { FieldCode } from '../../platform/http/problem.ts';

/** Where something stands in a file; null in documents that were sent as JSON. */
export type Position = { path: string | null; line: number | null; column: number | null };

/** An error of a document, at a JSON Pointer into it. */
export type DocumentError = Position & { pointer: string; code: FieldCode; detail: string };

/** A file that could be read: its value, and where each part of it stands. */
export type Source = { path: string | null; value: unknown; positionOf(pointer: string): Position };

/** What all documents of a request may have together, aliases resolved. */
export type NodeBudget = { left: number };

const depthMax = 20;

class TooMuch extends Error {}

/** Reads one file of YAML 1.2, or JSON. Tags, merge keys, a second document and repeated keys are errors. */
export function readSource(path: string | null, text: string, budget: NodeBudget): Source | DocumentError {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: true,
    stringKeys: true,
    lineCounter: lines,
    prettyErrors: false,
  });
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { path, line, column: col };
  };
  const refuse = (offset: number, detail: string): DocumentError => ({
    pointer: '',
    code: 'format',
    detail,
    ...at(offset),
  });
  const [first] = [...document.errors, ...document.warnings];
  if (first !== undefined) return refuse(first.pos[0], `is not valid YAML: ${first.message.slice(0, 200)}`);
  try {
    const value = convert(document.contents, document, budget, 0);
    return { path, value, positionOf: pointer => at(offsetOf(document, pointer)) };
  } catch (error) {
    if (error instanceof TooMuch) return refuse(0, error.message);
    throw error;
  }
}

/** A document that was sent as JSON. */
export function jsonSource(value: unknown): Source {
  return { path: null, value, positionOf: () => ({ path: null, line: null, column: null }) };
}

/** Counted by hand: aliases could make gigabytes of a few lines. */
function convert(node: unknown, document: Document, budget: NodeBudget, depth: number): unknown {
  if (depth > depthMax) throw new TooMuch(`is nested more than ${depthMax} levels deep`);
  budget.left -= 1;
  if (budget.left < 0) throw new TooMuch('has too many values in all documents together');
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return convert(node.resolve(document), document, budget, depth + 1);
  requireNoTag(node as Node);
  if (isScalar(node)) return typeof node.value === 'string' ? cleanText(node.value) : node.value;
  if (isSeq(node)) return node.items.map(item => convert(item, document, budget, depth + 1));
  if (!isMap(node)) return null;
  const members = node.items.map(({ key, value }): [string, unknown] => [
    cleanText(isScalar(key) ? String(key.value) : ''),
    convert(value, document, budget, depth + 1),
  ]);
  return Object.fromEntries(members);
}

function requireNoTag({ tag }: Node): void {
  if (tag !== undefined) throw new TooMuch(`has a tag, ${tag.slice(0, 50)}, which documents may not have`);
}

/** The offset of the value at a pointer, or of the nearest value that holds it. */
function offsetOf(document: Document, pointer: string): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isAlias(node)) return offset;
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === name) : undefined;
    const next = isSeq(node) ? node.items[Number(name)] : pair?.key;
    if (next === undefined) return offset;
    offset = startOf(next) ?? offset;
    node = isSeq(node) ? next : pair?.value;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}
