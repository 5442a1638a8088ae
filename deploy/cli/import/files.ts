import { stringify } from 'yaml';
import { textOf } from './draft/values.ts';
import type { Imported, Reported } from './imported.ts';

/** A file to write. `isSecret`: nobody else may read it. */
export type WrittenFile = { name: string; text: string; isSecret: boolean };

/** The files of an import, in the order in which they are written. */
export function filesOf(imported: Imported): WrittenFile[] {
  const { document, env, history, incidents, subscribers } = imported;
  const plain = (name: string, text: string): WrittenFile => ({ name, text, isSecret: false });
  return [
    plain('upquorum.yaml', stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })),
    { name: 'secrets.env', text: envText(env), isSecret: true },
    plain('report.json', json(reportOf(imported))),
    plain('report.md', markdown(imported)),
    ...(history.length === 0 ? [] : [plain('history.ndjson', history.map(one => `${JSON.stringify(one)}\n`).join(''))]),
    ...(incidents.length === 0 ? [] : [plain('incidents.json', json(incidents))]),
    ...(subscribers.length === 0 ? [] : [{ name: 'subscribers.json', text: json(subscribers), isSecret: true }]),
  ];
}

/** The report for programs. */
export function reportOf({ source, version, document, items }: Imported) {
  return { source, version, manager: document.manager, items, counts: countsOf(items) };
}

/** How many things were carried, changed and left out. */
export function countsOf(items: readonly Reported[]): Record<Reported['outcome'], number> {
  const counts = { carried: 0, changed: 0, left_out: 0 };
  for (const { outcome } of items) counts[outcome] += 1;
  return counts;
}

/** `NAME='value'` lines, quoted as in a shell. Readers take CR and LF side by side for one end of a line. */
function envText(env: Imported['env']): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''").replaceAll('\r\n', "\r''\n")}'\n`)
    .join('');
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const titles = { left_out: 'Left out', changed: 'Changed', carried: 'Carried as it was' } as const;

/** The report for people: what needs their hands first. */
function markdown(imported: Imported): string {
  const { source, items } = imported;
  const counts = countsOf(items);
  const sections = (['left_out', 'changed', 'carried'] as const).flatMap(outcome => {
    const chosen = items.filter(item => item.outcome === outcome);
    return chosen.length === 0 ? [] : [`\n## ${titles[outcome]}\n\n${chosen.map(line).join('')}`];
  });
  const summary = `${counts.carried} carried, ${counts.changed} changed, ${counts.left_out} left out.`;
  return `# Import from ${source}\n\n${summary}\n${sections.join('')}`;
}

function line({ type, name, key, details }: Reported): string {
  const became = key === null ? '' : ` → \`${key}\``;
  const why = details.map(({ field, was, now, why: reason }) => {
    const change = was === null && now === null ? '' : `${shown(was)} → ${now === null ? 'nothing' : shown(now)}: `;
    return `  - ${field === '' ? '' : `${escaped(field)}: `}${change}${reason}\n`;
  });
  return `- ${type} **${escaped(name)}**${became}\n${why.join('')}`;
}

function shown(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : textOf(value);
  return escaped(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}

function escaped(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').replaceAll(/[\\`*_{}[\]<>#|]/g, '\\$&');
}
