import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';

const hostsHeldMax = 64;
const hostsOfACut = 3;
const hostsOfASilentCut = 5;
const routeReadAfterMs = 1000;

/**
 * Tells a cut of the agent's own network from faults of targets. Unreachable errors of three hosts with no sign of
 * any other host are a cut. Silence counts only when the control plane, an independent witness, is silent as well.
 */
export class NetworkHealth {
  readonly #unreachable = new Set<string>();
  readonly #silent = new Set<string>();
  readonly #controlPlaneSilent: () => boolean;
  #routes = { readMs: Number.NEGATIVE_INFINITY, four: true, six: true };

  constructor(controlPlaneSilent: () => boolean = () => false) {
    this.#controlPlaneSilent = controlPlaneSilent;
  }

  /** A host answered, be it with a refusal. */
  noteReached(): void {
    this.#unreachable.clear();
    this.#silent.clear();
  }

  noteUnreachable(host: string): void {
    if (this.#unreachable.size < hostsHeldMax) this.#unreachable.add(host);
  }

  noteSilent(host: string): void {
    if (this.#silent.size < hostsHeldMax) this.#silent.add(host);
  }

  isCut(): boolean {
    if (this.#unreachable.size >= hostsOfACut) return true;
    return this.#silent.size >= hostsOfASilentCut && this.#controlPlaneSilent();
  }

  hasRoute(address: string): boolean {
    const now = performance.now();
    if (now - this.#routes.readMs > routeReadAfterMs) this.#routes = { readMs: now, ...readRoutes() };
    return address.includes(':') ? this.#routes.six : this.#routes.four;
  }
}

function readRoutes(): { four: boolean; six: boolean } {
  const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? []);
  const outside = (family: string) =>
    addresses.some(item => !item.internal && item.family === family && !item.address.startsWith('fe80:'));
  return { four: outside('IPv4') && hasDefaultRoute(), six: outside('IPv6') };
}

/** On Linux the routing table tells; elsewhere an interface with an address has to do. */
function hasDefaultRoute(): boolean {
  try {
    return readFileSync('/proc/net/route', 'utf8')
      .split('\n')
      .some(line => line.split('\t')[1] === '00000000');
  } catch {
    return true;
  }
}
