import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';

const hostsMax = 64;
const unreachableHostsMin = 3;
const silentHostsMin = 5;
const routesMaxAgeMs = 1000;

/**
 * Distinguishes an outage of the agent's own network from faults of targets. It is one if three hosts are unreachable
 * and no other host answers. Five silent hosts count only if the control plane, an independent witness, is silent too.
 */
export class NetworkHealth {
  readonly #unreachable = new Set<string>();
  readonly #silent = new Set<string>();
  readonly #controlPlaneSilent: () => boolean;
  #routes = { readMs: Number.NEGATIVE_INFINITY, ipv4: true, ipv6: true };

  constructor(controlPlaneSilent: () => boolean = () => false) {
    this.#controlPlaneSilent = controlPlaneSilent;
  }

  /** Records that a host answered, even if it refused the connection. */
  noteReached(): void {
    this.#unreachable.clear();
    this.#silent.clear();
  }

  /** Records that the system reported a host as unreachable. */
  noteUnreachable(host: string): void {
    if (this.#unreachable.size < hostsMax) this.#unreachable.add(host);
  }

  /** Records that a host did not answer a connection attempt. */
  noteSilent(host: string): void {
    if (this.#silent.size < hostsMax) this.#silent.add(host);
  }

  /** True if the agent's own network is down, as far as can be told. */
  isLocalOutage(): boolean {
    if (this.#unreachable.size >= unreachableHostsMin) return true;
    return this.#silent.size >= silentHostsMin && this.#controlPlaneSilent();
  }

  /** True if this host can route to the family of the address. Read from the system at most once per second. */
  hasRoute(address: string): boolean {
    const now = performance.now();
    if (now - this.#routes.readMs > routesMaxAgeMs) this.#routes = { readMs: now, ...readRoutes() };
    return address.includes(':') ? this.#routes.ipv6 : this.#routes.ipv4;
  }
}

function readRoutes(): { ipv4: boolean; ipv6: boolean } {
  const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? []);
  const hasAddress = (family: string) =>
    addresses.some(entry => !entry.internal && entry.family === family && !entry.address.startsWith('fe80:'));
  return { ipv4: hasAddress('IPv4') && hasDefaultRoute(), ipv6: hasAddress('IPv6') };
}

/** Read from the routing table on Linux; elsewhere an interface with an address must suffice. */
function hasDefaultRoute(): boolean {
  try {
    return readFileSync('/proc/net/route', 'utf8')
      .split('\n')
      .some(line => line.split('\t')[1] === '00000000');
  } catch {
    return true;
  }
}
