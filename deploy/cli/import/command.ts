import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../shared/error-code.ts';
import type { Command, Invocation } from '../frame/command.ts';
import { CommandError, UsageError } from '../frame/failure.ts';
import { nearest } from '../frame/nearest.ts';
import { countsOf, filesOf, reportOf } from './files.ts';
import { type Choices, type Imported, SourceError } from './imported.ts';
import { sources } from './sources.ts';

export const importCommand: Command = {
  name: 'import',
  summary: 'Make documents of what another tool has',
  args: 'SOURCE FILE…',
  arity: [1, 200],
  flags: [
    { name: 'out', short: 'o', value: 'DIR', summary: 'folder to write to, empty or new (needed)' },
    { name: 'regions', value: 'LIST', summary: 'regions that check the monitors: eu-west,us-east' },
    { name: 'manager', value: 'NAME', summary: 'who owns what is imported (imported)' },
    { name: 'no-history', summary: 'leave the history out' },
    { name: 'force', summary: 'write to a folder that has files' },
  ],
  notes: [
    ...Object.entries(sources).map(([name, { files }]) => `${name} ${files}`),
    'It reads files only. DIR/report.md names what changed and what is left out; DIR/secrets.env has the secrets.',
  ],
  examples: [
    'upquorum import kuma kuma.db --regions eu-west,us-east,ap-south --out imported',
    'upquorum apply imported --env-file imported/secrets.env',
    'upquorum import send imported',
  ],
  run: async invocation => {
    const { args, terminal } = invocation;
    const [name = '', ...files] = args;
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
    if (source === undefined) {
      const near = nearest(name, Object.keys(sources));
      const hint = near === null ? `There are ${Object.keys(sources).join(', ')}.` : `Did you mean ${near}?`;
      throw new UsageError(`there is no source ${name}`, hint);
    }
    if (files.length < source.least || files.length > source.most)
      throw new UsageError(`\`import ${name}\` needs ${source.files}`, 'See `upquorum help import`.');
    const folder = invocation.required('out');
    const choices = choicesOf(invocation);
    await requireEmpty(folder, invocation.has('force'));
    const imported = await reading(() => source.read(files, choices));
    await writeAll(folder, imported);
    if (terminal.isJson) terminal.json(reportOf(imported));
    else say(invocation, folder, imported);
  },
};

function choicesOf({ value, has, env }: Invocation): Choices {
  const manager = value('manager') ?? 'imported';
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(manager))
    throw new UsageError(`--manager is lower-case letters, digits and hyphens, not ${manager}`, null);
  const regions = (value('regions') ?? '').split(',').filter(region => region !== '');
  return { manager, regions, withHistory: !has('no-history'), environment: env, nowMs: Date.now() };
}

/** What is wrong with a source is said in its sentence. */
async function reading(read: () => Promise<Imported>): Promise<Imported> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SourceError) throw new CommandError(error.message, null);
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR')
      throw new CommandError(error instanceof Error ? error.message : code, null);
    throw error;
  }
}

async function requireEmpty(folder: string, isForced: boolean): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    if (errorCode(error) === 'ENOTDIR') throw new CommandError(`${folder} is a file, not a folder`, null);
    throw error;
  });
  if (names.length > 0 && !isForced) throw new CommandError(`${folder} is not empty`, 'With --force it is written to.');
}

async function writeAll(folder: string, imported: Imported): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, text, isSecret } of filesOf(imported))
    await writeFile(join(folder, name), text, isSecret ? { mode: 0o600 } : {});
}

function say({ terminal }: Invocation, folder: string, imported: Imported): void {
  const counts = countsOf(imported.items);
  terminal.note(
    `${counts.carried} carried, ${counts.changed} changed, ${counts.left_out} left out: ${folder}/report.md`,
  );
  const env = Object.keys(imported.env).length === 0 ? '' : ` --env-file ${folder}/secrets.env`;
  terminal.note(`Next: upquorum apply ${folder}${env}`);
  if (imported.history.length > 0) terminal.note(`Then: upquorum import send ${folder}`);
}
