import { readYaml } from '../draft/yaml.ts';
import { SourceError, type SourceFile } from '../imported.ts';

type Node = unknown;

/** Reads the files of a configuration and merges them as Gatus does: objects deep, lists one after the other. */
export function readFiles(files: readonly SourceFile[]): Record<string, Node> {
  const merged = files
    .toSorted((left, right) => (left.path < right.path ? -1 : 1))
    .reduce<Node>((whole, { path, text }) => merge(whole, readYaml(path, text)[0] ?? {}), {});
  if (!isObject(merged) || !('endpoints' in merged || 'external-endpoints' in merged || 'suites' in merged))
    throw new SourceError('This is no configuration of Gatus: it has no `endpoints`.');
  return merged;
}

function merge(left: Node, right: Node): Node {
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
  if (!isObject(left) || !isObject(right)) return right;
  const merged: Record<string, Node> = { ...left };
  for (const [name, value] of Object.entries(right))
    merged[name] = Object.hasOwn(left, name) ? merge(left[name], value) : value;
  return merged;
}

function isObject(value: Node): value is Record<string, Node> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
