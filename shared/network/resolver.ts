import { Resolver as DnsResolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { HostsFile } from './hosts-file.ts';

type Family = 4 | 6;
type Entry = { expiresMs: number; addresses: readonly string[]; failure: string | null };

/** Asks a name server: one record type of one name. Rejects with the `code` of node:dns. */
export type AskServer = (name: string, family: Family) => Promise<readonly { address: string; ttl: number }[]>;

const entriesMax = 10_000;
const ttlMaxMs = 300_000;
const noRecordMs = 5000;
// Shorter than the second between two attempts, so that the second one asks again.
const noNameMs = 900;
const answersWithinMs = 30_000;

/** A name that did not resolve; `code` is that of node:dns. */
export class ResolveError extends Error {
  override name = 'ResolveError';
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** Finds the addresses of names: hosts file first, then name servers, with a bounded cache that honours TTL. */
export class Resolver {
  readonly #ask: AskServer;
  readonly #hosts: HostsFile;
  readonly #now: () => number;
  readonly #cache = new Map<string, Entry>();
  readonly #asking = new Map<string, Promise<Entry>>();
  #answeredMs = Number.NEGATIVE_INFINITY;
  #rootAskedMs = Number.NEGATIVE_INFINITY;

  constructor(ask: AskServer, hosts = new HostsFile(), now = () => performance.now()) {
    this.#ask = ask;
    this.#hosts = hosts;
    this.#now = now;
  }

  /** Addresses to try, IPv4 first. Throws ResolveError. */
  async resolve(name: string): Promise<readonly string[]> {
    const host = name.toLowerCase().replace(/\.$/, '');
    const local = await this.#hosts.addressesOf(host);
    if (local.length > 0) return local.toSorted((left, right) => familyOf(left) - familyOf(right));
    if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    return this.#resolveByServers(host);
  }

  /** True when a name server has answered anything lately: then a missing answer is not our own fault. */
  answersLately(): boolean {
    return this.#now() - this.#answeredMs < answersWithinMs;
  }

  async #resolveByServers(host: string): Promise<readonly string[]> {
    const held = this.#held(`4 ${host}`);
    if (held !== undefined && held.addresses.length > 0) return this.#joined(host, held);
    const six = this.#lookUp(host, 6);
    const four = await this.#lookUp(host, 4);
    if (four.addresses.length > 0) return this.#joined(host, four);
    if (four.failure === 'ENOTFOUND') throw new ResolveError('ENOTFOUND');
    const { addresses, failure } = await six;
    if (addresses.length > 0) return addresses;
    throw new ResolveError(worse(four.failure, failure));
  }

  #joined(host: string, four: Entry): readonly string[] {
    return [...four.addresses, ...(this.#held(`6 ${host}`)?.addresses ?? [])];
  }

  #held(key: string): Entry | undefined {
    const entry = this.#cache.get(key);
    return entry !== undefined && entry.expiresMs > this.#now() ? entry : undefined;
  }

  #lookUp(host: string, family: Family): Promise<Entry> {
    const key = `${family} ${host}`;
    const held = this.#held(key);
    if (held !== undefined) return Promise.resolve(held);
    const asking = this.#asking.get(key) ?? this.#askServer(key, host, family);
    this.#asking.set(key, asking);
    return asking;
  }

  async #askServer(key: string, host: string, family: Family): Promise<Entry> {
    const entry = await this.#ask(host, family).then(
      records => this.#answered(records),
      error => this.#failed(codeOf(error)),
    );
    this.#asking.delete(key);
    this.#store(key, entry);
    return entry;
  }

  #answered(records: readonly { address: string; ttl: number }[]): Entry {
    this.#answeredMs = this.#now();
    const ttlMs = Math.min(ttlMaxMs, ...records.map(record => record.ttl * 1000));
    const addresses = records.map(record => record.address);
    return { expiresMs: this.#now() + ttlMs, addresses, failure: addresses.length === 0 ? 'ENODATA' : null };
  }

  #failed(code: string): Entry {
    const silent = code === 'ETIMEOUT' || code === 'ECONNREFUSED' || code === 'ECANCELLED';
    if (silent) this.#askRoot();
    else this.#answeredMs = this.#now();
    const keptMs = code === 'ENODATA' ? noRecordMs : code === 'ENOTFOUND' ? noNameMs : 0;
    return { expiresMs: this.#now() + keptMs, addresses: [], failure: code };
  }

  /** The root is known to every living resolver: its answer tells a dead name's servers from a dead resolver. */
  #askRoot(): void {
    if (this.answersLately() || this.#now() - this.#rootAskedMs < 1000) return;
    this.#rootAskedMs = this.#now();
    const heard = () => {
      this.#answeredMs = this.#now();
    };
    this.#ask('', 4).then(heard, error => {
      if (!['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED', 'EBADNAME'].includes(codeOf(error))) heard();
    });
  }

  #store(key: string, entry: Entry): void {
    this.#cache.delete(key);
    this.#cache.set(key, entry);
    const oldest = this.#cache.size > entriesMax ? this.#cache.keys().next().value : undefined;
    if (oldest !== undefined) this.#cache.delete(oldest);
  }
}

/** Asks the name servers given, or those of the machine. c-ares reads resolv.conf once, so a silent one is made anew. */
export function askNameServers(servers: readonly string[]): AskServer {
  let resolver = makeResolver(servers);
  let madeMs = performance.now();
  return async (name, family) => {
    try {
      if (name === '') return (await resolver.resolveNs('.')).map(() => ({ address: '', ttl: 0 }));
      return await (family === 4 ? resolver.resolve4(name, { ttl: true }) : resolver.resolve6(name, { ttl: true }));
    } catch (error) {
      if (['ETIMEOUT', 'ECONNREFUSED'].includes(codeOf(error)) && performance.now() - madeMs > 30_000) {
        resolver = makeResolver(servers);
        madeMs = performance.now();
      }
      throw error;
    }
  };
}

/** A name server is an address, with or without a port; null when the text is neither. */
export function parseServer(text: string): string | null {
  const host = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+)(?::\d+)?$/.exec(text)?.[1] ?? text;
  return isIP(host) === 0 ? null : text;
}

function makeResolver(servers: readonly string[]): DnsResolver {
  const resolver = new DnsResolver({ timeout: 2000, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  return resolver;
}

function familyOf(address: string): Family {
  return address.includes(':') ? 6 : 4;
}

/** Of two families without an address, the failure that says more than "no record". */
function worse(four: string | null, six: string | null): string {
  const [first = 'ENODATA', second = 'ENODATA'] = [four ?? undefined, six ?? undefined];
  return first === 'ENODATA' ? second : first;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EUNKNOWN';
}
