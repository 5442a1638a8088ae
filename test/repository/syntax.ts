import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, type Node, type Options, parse } from 'acorn';
import { transformSync } from 'esbuild';
import type { Source } from './sources.ts';

export type { AnyNode } from 'acorn';

const options: Options = { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true };
const trees = new WeakMap<Source, AnyNode>();

/**
 * The syntax tree of a source. Types are replaced by blanks, so positions are those of the file; not those of TSX,
 * whose elements become calls.
 */
export function treeOf(source: Source): AnyNode {
  const parsed = trees.get(source);
  if (parsed !== undefined) return parsed;
  const tree = parse(scriptOf(source), options);
  trees.set(source, tree);
  return tree;
}

function scriptOf({ path, text }: Source): string {
  if (path.endsWith('.tsx')) return transformSync(text, { loader: 'tsx', jsx: 'automatic', target: 'esnext' }).code;
  return path.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
}

/**
 * Visits every node with its ancestors, nearest last, which change after the visit; one that returns `skip` does not go
 * below its node.
 */
export function walk(
  node: AnyNode,
  visit: (node: AnyNode, ancestors: readonly AnyNode[]) => unknown,
  ancestors: AnyNode[] = [],
): void {
  if (visit(node, ancestors) === 'skip') return;
  ancestors.push(node);
  for (const value of Object.values(node)) {
    if (isNode(value)) walk(value, visit, ancestors);
    else if (Array.isArray(value)) for (const item of value) if (isNode(item)) walk(item, visit, ancestors);
  }
  ancestors.pop();
}

/** The location of a node, as `path:line`. */
export function locationOf(source: Source, node: Node): string {
  return `${source.path}:${source.text.slice(0, node.start).split('\n').length}`;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
