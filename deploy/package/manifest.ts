/** The fields of package.json that the agent's package takes over. */
export type RootManifest = {
  version: string;
  license: string;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
};

/** One package of a lock file. */
type LockedPackage = {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  optional?: boolean;
} & Record<string, unknown>;

/** A lock file of npm, version 3: packages by their path. */
export type LockFile = { lockfileVersion: number; packages: Record<string, LockedPackage> };

type AgentManifest = ReturnType<typeof agentManifest>;

/** The packages that the agent imports, and nothing of the control plane's: a test compares them with its imports. */
export const agentDependencies = ['ipaddr.js', 'json-p3', 'lru-cache', 'pino', 're2js', 'tldts', 'ws', 'zod'] as const;

/** The package.json of the agent alone, with the versions of the repository. */
export function agentManifest(root: RootManifest) {
  const nodes = Object.keys(root.optionalDependencies).filter(name => name.startsWith('node-'));
  return {
    name: 'upquorum-agent',
    version: root.version,
    description: 'Runs HTTP checks from one region for an Upquorum control plane',
    license: root.license,
    private: true,
    type: 'module',
    engines: { node: '>=20' },
    imports: { '#shared/*': './shared/*', '#agent/*': './agent/*' },
    scripts: { start: 'exec ./deploy/node agent/main.ts' },
    files: ['agent', 'shared', 'deploy/node', 'npm-shrinkwrap.json'],
    dependencies: pick(root.dependencies, agentDependencies),
    optionalDependencies: pick(root.optionalDependencies, nodes),
  };
}

/** The part of the repository's lock file that the agent needs, so that both install the same bytes. */
export function agentLock(lock: LockFile, manifest: AgentManifest): LockFile & Record<string, unknown> {
  const { name, version, license, engines, dependencies, optionalDependencies } = manifest;
  const needed = new Set<string>();
  const visit = (from: string, names: Record<string, string> = {}) => {
    for (const dependency of Object.keys(names)) {
      const path = locate(lock, from, dependency);
      if (path === null) throw new Error(`${dependency}, which ${from || 'the agent'} needs, is not in the lock file`);
      if (needed.has(path)) continue;
      needed.add(path);
      visit(path, lock.packages[path]?.dependencies);
    }
  };
  visit('', dependencies);
  visit('', optionalDependencies);
  const locked = [...needed].sort().map(path => [path, lock.packages[path] ?? {}] as const);
  const own = { name, version, license, engines, dependencies, optionalDependencies };
  return {
    name,
    version,
    lockfileVersion: lock.lockfileVersion,
    requires: true,
    packages: { '': own, ...Object.fromEntries(locked) },
  };
}

/** Where Node would find a package that `from` imports: beside it, or in a folder above. */
function locate(lock: LockFile, from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (path in lock.packages) return path;
    if (folder === '') return null;
  }
}

function pick(versions: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map(name => [name, versions[name] ?? '']));
}
