import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { top } from './sources.ts';

/** A Markdown document: its path from the top folder, and its text. */
export type Document = { path: string; text: string };

const skipped = new Set(['node_modules', '.git', 'artifacts']);

/** Every Markdown document of the repository. */
export const documents: readonly Document[] = pathsIn('').map(path => ({
  path,
  text: readFileSync(join(top, path), 'utf8'),
}));

function pathsIn(folder: string): string[] {
  return readdirSync(join(top, folder), { withFileTypes: true }).flatMap(entry => {
    if (skipped.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? pathsIn(path) : entry.name.endsWith('.md') ? [path] : [];
  });
}

/** The document at a path; throws if there is none. */
export function documentAt(path: string): Document {
  const found = documents.find(document => document.path === path);
  if (found === undefined) throw new Error(`there is no ${path}`);
  return found;
}

/** A link to a file of the repository: its path from the top folder, and the heading that it names. */
export type Link = { target: string; anchor: string | null };

/** The links and pictures of a document that lead to this repository, code blocks left out. */
export function linksOf({ path, text }: Document): Link[] {
  const prose = withoutCode(text);
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g), ...prose.matchAll(/<img src="([^"]+)"/g)];
  return links
    .map(match => match[1] ?? '')
    .filter(link => !/^[a-z]+:/.test(link))
    .map(link => {
      const [file = '', anchor = null] = link.split('#');
      return { target: file === '' ? path : normalize(join(dirname(path), file)), anchor };
    });
}

/** The anchors of a document's headings, as forges make them. */
export function anchorsOf({ text }: Document): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)) {
    const name = anchorOf(heading);
    let unique = name;
    for (let count = 1; anchors.has(unique); count++) unique = `${name}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

function anchorOf(heading: string): string {
  const shown = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').trim();
  return shown
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Words as `wc -w` counts them. */
export function wordsOf({ text }: Document): number {
  return text.split(/\s+/).filter(word => word !== '').length;
}

/** A text without its fenced blocks; each of their lines is left empty. */
export function withoutCode(text: string): string {
  return text.replace(/^( *)```.*?^\1```$/gms, block => block.replace(/[^\n]/g, ''));
}
