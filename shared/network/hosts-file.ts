import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

const rereadAfterMs = 5000;

/** Names and addresses of a hosts file, names in lower case. */
export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) hosts.set(name.toLowerCase(), [...(hosts.get(name.toLowerCase()) ?? []), address]);
  }
  return hosts;
}

/** The hosts file of this machine, read again at most each five seconds. */
export class HostsFile {
  readonly #path: string;
  #hosts: Promise<Map<string, string[]>> = Promise.resolve(new Map());
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(path = '/etc/hosts') {
    this.#path = path;
  }

  async addressesOf(name: string): Promise<readonly string[]> {
    const now = performance.now();
    if (now - this.#readAt > rereadAfterMs) {
      this.#readAt = now;
      this.#hosts = readFile(this.#path, 'utf8').then(parseHosts, () => new Map());
    }
    return (await this.#hosts).get(name) ?? [];
  }
}
