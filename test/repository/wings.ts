import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { top } from './sources.ts';

/** The wing that a path lies in; null for the root, and for other programs. */
export function wingOf(path: string): string | null {
  return folderAt(path, 1);
}

/** `control-plane/on-call` at depth 1, `control-plane/on-call/routing` at depth 2; null for files that lie above. */
export function folderAt(path: string, depth: number): string | null {
  const [program, ...rest] = path.split('/');
  return program === 'control-plane' && rest.length > depth ? rest.slice(0, depth).join('/') : null;
}

/** For each wing all wings that arrows lead from to it: `platform --> monitoring` lets monitoring import platform. */
export function wingsOfThePicture(): Map<string, Set<string>> {
  const text = readFileSync(join(top, 'control-plane/README.md'), 'utf8');
  const [picture = ''] = text.match(/```mermaid\n[^`]*```/) ?? [];
  const edges = new Map<string, Set<string>>();
  for (const line of picture.split('\n').filter(line => line.includes('-->'))) {
    const wings = line.trim().split(/ --> /);
    for (const [index, wing] of wings.entries()) {
      const before = edges.get(wing) ?? new Set();
      if (index > 0) before.add(wings[index - 1] ?? '');
      edges.set(wing, before);
    }
  }
  return new Map([...edges.keys()].map(wing => [wing, reach(edges, wing)]));
}

/** All that can be reached from a node, itself only through others. */
export function reach(edges: ReadonlyMap<string, ReadonlySet<string>>, from: string): Set<string> {
  const reached = new Set<string>();
  const visit = (node: string) => {
    for (const next of edges.get(node) ?? [])
      if (!reached.has(next)) {
        reached.add(next);
        visit(next);
      }
  };
  visit(from);
  return reached;
}
