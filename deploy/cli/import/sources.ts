import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { importBlackbox } from './blackbox/blackbox.ts';
import { importGatus } from './gatus/gatus.ts';
import { importHealthchecks } from './healthchecks/healthchecks.ts';
import type { Choices, Imported, SourceFile } from './imported.ts';
import { importKubernetes } from './kubernetes/kubernetes.ts';
import { openDatabase } from './kuma/database.ts';
import { importKuma } from './kuma/kuma.ts';
import { readBackup } from './kuma/source.ts';
import { importStatuspage } from './statuspage/statuspage.ts';

/** A tool that can be imported from: the files that it needs, as help shows them, and how they are read. */
export type Source = {
  files: string;
  least: number;
  most: number;
  /** Throws a SourceError if the files are not what the source has. */
  read(paths: readonly string[], choices: Choices): Promise<Imported>;
};

/** All sources by name. A new one is an entry here. */
export const sources: Readonly<Record<string, Source>> = {
  kuma: { files: 'FILE: the database of Uptime Kuma, or its JSON backup', least: 1, most: 1, read: readKuma },
  gatus: {
    files: 'PATH…: files or folders of the configuration of Gatus',
    least: 1,
    most: 199,
    read: async (paths, choices) => importGatus(await filesBelow(paths), choices),
  },
  blackbox: {
    files: 'MODULES PROMETHEUS: blackbox.yml and prometheus.yml',
    least: 2,
    most: 2,
    read: readBlackbox,
  },
  healthchecks: {
    files: 'FILE: the JSON of its API’s list of checks',
    least: 1,
    most: 1,
    read: async ([path = ''], choices) => importHealthchecks(await fileAt(path), choices),
  },
  kubernetes: {
    files: 'FILE|-: kubectl get ingress,httproute -A -o json',
    least: 1,
    most: 1,
    read: async ([path = ''], choices) => importKubernetes(await fileAt(path), choices),
  },
  statuspage: {
    files: 'FILE…: the JSON of its API’s lists, or of a public page',
    least: 1,
    most: 20,
    read: async (paths, choices) => importStatuspage(await Promise.all(paths.map(fileAt)), choices),
  },
};

async function fileAt(path: string): Promise<SourceFile> {
  if (path === '-') return { path: 'stdin', text: await text(process.stdin) };
  return { path, text: await readFile(path, 'utf8') };
}

async function readKuma([path = '']: readonly string[], choices: Choices): Promise<Imported> {
  // A database begins with the name of its format.
  if (!path.endsWith('.json')) {
    const database = await openDatabase(path);
    try {
      return importKuma(database, choices);
    } finally {
      database[Symbol.dispose]();
    }
  }
  const file = await fileAt(path);
  const backup = readBackup(path, file.text);
  return importKuma(backup, choices);
}

/** YAML files of folders and of those below, as Gatus reads them. */
async function filesBelow(paths: readonly string[]): Promise<SourceFile[]> {
  const found: SourceFile[] = [];
  for (const path of paths) {
    if (!(await stat(path)).isDirectory()) {
      found.push(await fileAt(path));
      continue;
    }
    const names = (await readdir(path, { recursive: true })).filter(name => /\.ya?ml$/.test(name)).sort();
    for (const name of names) found.push(await fileAt(join(path, name)));
  }
  return found;
}

/** Targets in files lie beside the configuration, in folders that their patterns name. */
async function readBlackbox([modules = '', prometheus = '']: readonly string[], choices: Choices): Promise<Imported> {
  const config = await fileAt(prometheus);
  const beside = new Map<string, SourceFile>();
  for (const [, pattern = ''] of config.text.matchAll(/([\w./*-]+\.(?:ya?ml|json))/g)) {
    const folder = join(dirname(prometheus), dirname(pattern));
    for (const name of await readdir(folder).catch(() => []))
      if (/\.(?:ya?ml|json)$/.test(name)) beside.set(join(folder, name), await fileAt(join(folder, name)));
  }
  const readBeside = (pattern: string) => {
    const folder = join(dirname(prometheus), dirname(pattern));
    const form = new RegExp(`^${basename(pattern).split('*').map(escaped).join('[^/]*')}$`);
    return [...beside.values()].filter(({ path }) => dirname(path) === folder && form.test(basename(path)));
  };
  return importBlackbox(await fileAt(modules), config, readBeside, choices);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
