import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

const rereadAfterMs = 5000;

/** The addresses of each name in a hosts file, in order; names are in lower case. Malformed lines are skipped. */
export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names.map(written => written.toLowerCase()))
      hosts.set(name, [...(hosts.get(name) ?? []), address]);
  }
  return hosts;
}

/** The hosts file of this host, read again after five seconds. A missing file is an empty one. */
export class HostsFile {
  readonly #path: string;
  #hosts: Promise<Map<string, string[]>> = Promise.resolve(new Map());
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(path = '/etc/hosts') {
    this.#path = path;
  }

  /** The addresses of a lower-case name; none if the file does not name it. */
  async addressesOf(name: string): Promise<readonly string[]> {
    const now = performance.now();
    if (now - this.#readMs > rereadAfterMs) {
      this.#readMs = now;
      this.#hosts = readFile(this.#path, 'utf8').then(parseHosts, () => new Map());
    }
    return (await this.#hosts).get(name) ?? [];
  }
}
