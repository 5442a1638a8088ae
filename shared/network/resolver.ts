import { errorCode } from '../error-code.ts';
import { wait } from '../wait.ts';
import { HostsFile } from './hosts-file.ts';

type Family = 4 | 6;
type Entry = { expiresMs: number; readonly addresses: readonly string[]; readonly failure: string | null };

/** Queries a name server for A (4) or AAAA (6) records; `ttl` in seconds. Rejects with the `code` of node:dns. */
export type DnsQuery = (name: string, family: Family) => Promise<readonly { address: string; ttl: number }[]>;

const entriesMax = 10_000;
const ttlMaxMs = 300_000;
const noDataTtlMs = 5000;
/** Shorter than the second between two attempts, so that the second attempt sends a new query. */
const notFoundTtlMs = 900;
const recentAnswerMs = 30_000;
/** How long a caller that needs all addresses at once waits for the slower family (RFC 8305 §3). */
const resolutionDelayMs = 50;
const rootGapMs = 100;
const root = '';

/** What the name servers do while a name fails: they answer for others, they only fail, or nothing comes from them. */
export type ServerState = 'answering' | 'failing' | 'silent';

/**
 * Addresses of a name: those at hand, IPv4 first, never none, and those of a family whose answer is still to come. The
 * promise never rejects; null if nothing is to come.
 */
export type Addresses = Readonly<{ known: readonly string[]; later: Promise<readonly string[]> | null }>;

/** The name could not be resolved; `code` is that of node:dns. */
export class ResolveError extends Error {
  override name = 'ResolveError';
  readonly code: string;
  readonly servers: ServerState;
  constructor(code: string, servers: ServerState) {
    super(code);
    this.code = code;
    this.servers = servers;
  }
}

/** Resolves names: hosts file first, then name servers. Caches 10,000 answers for their TTL, at most five minutes. */
export class Resolver {
  readonly #query: DnsQuery;
  readonly #hosts: HostsFile;
  readonly #now: () => number;
  readonly #cache = new Map<string, Entry>();
  readonly #inFlight = new Map<string, Promise<Entry>>();
  #lastAnswerMs = Number.NEGATIVE_INFINITY;
  /** The last two names that were answered for, with records or with the statement that there are none. */
  #answered: readonly { host: string; atMs: number }[] = [];
  #rootQuery = { startedMs: Number.NEGATIVE_INFINITY, done: Promise.resolve() };

  constructor(query: DnsQuery, hosts = new HostsFile(), now = () => performance.now()) {
    this.#query = query;
    this.#hosts = hosts;
    this.#now = now;
  }

  /** The addresses of a name as soon as there are any. Throws ResolveError. */
  async find(name: string): Promise<Addresses> {
    const host = hostOf(name);
    const local = await this.#hosts.addressesOf(host);
    if (local.length > 0)
      return { known: local.toSorted((left, right) => familyOf(left) - familyOf(right)), later: null };
    if (host === 'localhost' || host.endsWith('.localhost')) return { known: ['127.0.0.1', '::1'], later: null };
    return this.#findByServers(host);
  }

  /** All addresses of a name, IPv4 first, never none; of one family alone if the other needs longer than 50 ms. */
  async resolve(name: string): Promise<readonly string[]> {
    const { known, later } = await this.find(name);
    if (later === null) return known;
    const late = await Promise.race([later, wait(resolutionDelayMs)]);
    return [...known, ...(late ?? [])];
  }

  /** All addresses as the hosts file or the name servers have them now, whatever is known from before; perhaps none. */
  async resolveAnew(name: string): Promise<readonly string[]> {
    const host = hostOf(name);
    const local = await this.#hosts.addressesOf(host);
    if (local.length > 0) return local;
    if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const entries = await Promise.all([this.#ask(host, 4), this.#ask(host, 6)]);
    return entries.flatMap(({ addresses }) => addresses);
  }

  /** True if a name server answered any query in the last 30 s: then a missing answer is not the agent's own fault. */
  hasAnsweredRecently(): boolean {
    return this.#now() - this.#lastAnswerMs < recentAnswerMs;
  }

  /** What the name servers did since `sinceMs`, when a query for the name was sent. */
  serverState(name: string, sinceMs: number): ServerState {
    const host = hostOf(name);
    if (this.#answered.some(answer => answer.host !== host && answer.atMs >= sinceMs)) return 'answering';
    return this.hasAnsweredRecently() ? 'failing' : 'silent';
  }

  async #findByServers(host: string): Promise<Addresses> {
    const startedMs = this.#now();
    // Both are asked at once, each when its own answer has expired: their TTLs may differ.
    const [ipv6Entry, ipv4Entry] = [this.#lookUp(host, 6), this.#lookUp(host, 4)];
    const ipv4 = ipv4Entry instanceof Promise ? await ipv4Entry : ipv4Entry;
    if (ipv4.addresses.length > 0) {
      if (ipv6Entry instanceof Promise)
        return { known: ipv4.addresses, later: ipv6Entry.then(({ addresses }) => addresses) };
      const { addresses } = ipv6Entry;
      return { known: addresses.length === 0 ? ipv4.addresses : [...ipv4.addresses, ...addresses], later: null };
    }
    if (ipv4.failure === 'ENOTFOUND') throw new ResolveError('ENOTFOUND', 'answering');
    const { addresses, failure } = await ipv6Entry;
    if (addresses.length > 0) return { known: addresses, later: null };
    const code = moreSpecific(ipv4.failure, failure);
    if (isAnswer(code)) throw new ResolveError(code, 'answering');
    if (this.serverState(host, startedMs) !== 'answering') await this.#queryRoot(startedMs);
    throw new ResolveError(code, this.serverState(host, startedMs));
  }

  #lookUp(host: string, family: Family): Entry | Promise<Entry> {
    const key = keyOf(host, family);
    const entry = this.#cache.get(key);
    if (entry !== undefined && entry.expiresMs > this.#now()) return entry;
    return this.#ask(host, family);
  }

  #ask(host: string, family: Family): Promise<Entry> {
    const key = keyOf(host, family);
    const query = this.#inFlight.get(key) ?? this.#queryServer(key, host, family);
    this.#inFlight.set(key, query);
    return query;
  }

  async #queryServer(key: string, host: string, family: Family): Promise<Entry> {
    const entry = await this.#query(host, family).then(
      records => this.#fromRecords(host, records),
      error => this.#fromError(host, errorCode(error) ?? 'EUNKNOWN'),
    );
    this.#inFlight.delete(key);
    this.#store(key, entry);
    this.#keepBeside(host, family, entry);
    return entry;
  }

  #fromRecords(host: string, records: readonly { address: string; ttl: number }[]): Entry {
    this.#noteAnswer(host);
    const ttlMs = Math.min(ttlMaxMs, ...records.map(record => record.ttl * 1000));
    const addresses = records.map(record => record.address);
    return { expiresMs: this.#now() + ttlMs, addresses, failure: addresses.length === 0 ? 'ENODATA' : null };
  }

  #fromError(host: string, code: string): Entry {
    if (isAnswer(code)) this.#noteAnswer(host);
    else if (!isSilence(code)) this.#lastAnswerMs = this.#now();
    const ttlMs = code === 'ENODATA' ? noDataTtlMs : code === 'ENOTFOUND' ? notFoundTtlMs : 0;
    return { expiresMs: this.#now() + ttlMs, addresses: [], failure: code };
  }

  #noteAnswer(host: string): void {
    this.#lastAnswerMs = this.#now();
    const others = this.#answered.filter(answer => answer.host !== host);
    this.#answered = [...others.slice(-1), { host, atMs: this.#now() }];
  }

  /** Every working resolver can answer for the root: one that cannot is broken itself. */
  #queryRoot(sinceMs: number): Promise<void> {
    const { startedMs, done } = this.#rootQuery;
    if (startedMs >= sinceMs || this.#now() - startedMs < rootGapMs) return done;
    const query = this.#query(root, 4).then(
      () => this.#noteAnswer(root),
      error => void this.#fromError(root, errorCode(error) ?? 'EUNKNOWN'),
    );
    this.#rootQuery = { startedMs: this.#now(), done: query };
    return query;
  }

  /**
   * Beside addresses of one family, the statement that there are none of the other is good for as long as they are, and
   * a failure of that query for five seconds: most names have only one family, whose checks would send a query each.
   */
  #keepBeside(host: string, family: Family, entry: Entry): void {
    const other = this.#cache.get(keyOf(host, family === 4 ? 6 : 4));
    if (other === undefined) return;
    const [full, empty] = entry.addresses.length > 0 ? [entry, other] : [other, entry];
    if (full.addresses.length === 0 || empty.addresses.length > 0) return;
    const longestMs = empty.failure === 'ENODATA' ? ttlMaxMs : noDataTtlMs;
    empty.expiresMs = Math.max(empty.expiresMs, Math.min(full.expiresMs, this.#now() + longestMs));
  }

  #store(key: string, entry: Entry): void {
    this.#cache.delete(key);
    this.#cache.set(key, entry);
    const oldest = this.#cache.size > entriesMax ? this.#cache.keys().next().value : undefined;
    if (oldest !== undefined) this.#cache.delete(oldest);
  }
}

function keyOf(host: string, family: Family): string {
  return `${family} ${host}`;
}

function hostOf(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** True if the servers did their work: the name, or the record, does not exist. */
function isAnswer(code: string): boolean {
  return code === 'ENOTFOUND' || code === 'ENODATA';
}

function isSilence(code: string): boolean {
  return ['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED', 'EBADNAME'].includes(code);
}

function familyOf(address: string): Family {
  return address.includes(':') ? 6 : 4;
}

/** Of the failures of both families, the one that says more than "no record". */
function moreSpecific(ipv4: string | null, ipv6: string | null): string {
  const [first = 'ENODATA', second = 'ENODATA'] = [ipv4 ?? undefined, ipv6 ?? undefined];
  return first === 'ENODATA' ? second : first;
}
