/** What docs/hardening.md says that a project can store in some tables. */
export type StorageBound = { tables: string[]; rows: string; bytesMax: number; deleted: string };

const units: Readonly<Record<string, number>> = { KB: 1024, MB: 1024 * 1024 };

/** The rows of the table "What a project can store". */
export function boundsOf(guide: string): StorageBound[] {
  const section = sectionOf(guide);
  return section.split('\n').flatMap(line => {
    const [, names = '', rows = '', bytes = '', deleted = ''] = line.split('|').map(cell => cell.trim());
    if (!names.startsWith('`')) return [];
    const [, count, unit = ''] = /^(\d+) (KB|MB)/.exec(bytes) ?? [];
    return [{ tables: namesIn(names), rows, bytesMax: Number(count) * (units[unit] ?? Number.NaN), deleted }];
  });
}

/** The tables that the guide says belong to no project. */
export function ofNoProject(guide: string): string[] {
  const paragraph = sectionOf(guide)
    .split('\n\n')
    .find(text => text.startsWith('These belong to no project'));
  return namesIn(paragraph ?? '').toSorted();
}

function sectionOf(guide: string): string {
  return guide.split('\n## ').find(section => section.startsWith('What a project can store')) ?? '';
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name);
}
