import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debianMirrors, type Mirror, parseList, parseStanzas } from './apt-sources.ts';
import { runCommand } from './command.ts';
import { EmbeddedError } from './failure.ts';

/**
 * A private apt directory with its own sources, lists and caches, so that the system's apt is neither locked nor
 * changed.
 */
export type AptArea = { download(packageName: string): Promise<string> };

const suite = 'trixie';
const mirrorsMax = 3;

/** Opens an area under `folder` on the first of the machine's mirrors whose lists can be downloaded and verified. */
export async function openAptArea(folder: string): Promise<AptArea> {
  const mirrors = await findMirrors();
  if (mirrors.length === 0) throw new EmbeddedError('no Debian mirror is configured for apt on this machine');
  let failure: unknown;
  for (const [index, mirror] of mirrors.slice(0, mirrorsMax).entries()) {
    try {
      return await openOn(mirror, join(folder, `mirror-${index}`));
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

async function openOn({ uri, signedBy }: Mirror, area: string): Promise<AptArea> {
  for (const name of ['lists/partial', 'cache/archives/partial', 'packages']) {
    await mkdir(join(area, name), { recursive: true });
  }
  await writeFile(join(area, 'sources.list'), `deb [signed-by=${signedBy}] ${uri} ${suite} main\n`);
  await writeFile(join(area, 'status'), '');
  await writeFile(join(area, 'apt.conf'), areaSettings(area));
  const apt = (args: readonly string[]) =>
    runCommand('apt-get', ['-q', '-c', join(area, 'apt.conf'), ...args], { cwd: join(area, 'packages') });
  await apt(['update']);
  return {
    async download(packageName) {
      await apt(['download', packageName]);
      const files = await readdir(join(area, 'packages'));
      const file = files.find(name => name.startsWith(`${packageName}_`));
      if (file === undefined) throw new EmbeddedError(`apt-get did not download ${packageName}`);
      return join(area, 'packages', file);
    },
  };
}

/** The machine's proxy settings still apply; its pins, hooks and extra indexes do not. */
function areaSettings(area: string): string {
  const values = {
    'Dir::Etc::sourcelist': join(area, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State': area,
    'Dir::State::lists': join(area, 'lists'),
    'Dir::State::status': join(area, 'status'),
    'Dir::Cache': join(area, 'cache'),
    'APT::Default-Release': '',
    'APT::Update::Error-Mode': 'any',
    'APT::Get::AllowUnauthenticated': 'false',
    'Acquire::AllowInsecureRepositories': 'false',
    'Acquire::AllowDowngradeToInsecureRepositories': 'false',
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '20',
    'Acquire::https::Timeout': '20',
  };
  const hooks = ['APT::Update::Pre-Invoke', 'APT::Update::Post-Invoke', 'APT::Update::Post-Invoke-Success'];
  return [
    ...hooks.map(name => `#clear ${name};`),
    ...Object.entries(values).map(([key, value]) => `${key} "${value}";`),
  ]
    .map(line => `${line}\n`)
    .join('');
}

async function findMirrors(): Promise<Mirror[]> {
  const parts = await readdir('/etc/apt/sources.list.d').catch(() => []);
  const paths = ['/etc/apt/sources.list', ...parts.toSorted().map(name => join('/etc/apt/sources.list.d', name))];
  const sources = await Promise.all(
    paths.map(async path => {
      const text = await readFile(path, 'utf8').catch(() => '');
      if (path.endsWith('.sources')) return parseStanzas(text);
      return path.endsWith('.list') ? parseList(text) : [];
    }),
  );
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return debianMirrors(sources.flat(), /^VERSION_CODENAME="?(\w+)/m.exec(release)?.[1] ?? suite);
}
