import { isIP } from 'node:net';
import { boundedCache } from '#shared/bounded-cache.ts';
import type { AddressFacts } from '#shared/checks/addresses.ts';
import { minuteMs } from '#shared/duration.ts';
import { isAllowed } from '#shared/network/guard.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import type { ProbeTools } from '../attempt.ts';
import { Deadline, within } from '../deadline.ts';
import { AddressTurn } from './address-turn.ts';
import { inOrder } from './in-order.ts';
import { ownEndpoint, reachAll } from './reach-all.ts';

const roundsMax = 10_000;
/** A round stands for this many of its periods. */
const periodsMax = 3;

type Round = { period: number; untilMs: number; facts: AddressFacts };
type At = { scheduledAt: number };

/** Whether a monitor watches every address of its name. */
function watchesEach({ egress }: Pick<Assignment, 'egress'>): boolean {
  return egress?.addresses !== undefined;
}

/** The turn of an attempt: another address in each slot, the same one in its second attempt. Null if any will do. */
export function turnOf(assignment: Assignment, { scheduledAt }: At): AddressTurn | null {
  if (!watchesEach(assignment)) return null;
  return new AddressTurn(Math.floor(scheduledAt / assignment.interval_ms), assignment.timeout_ms / 4);
}

/** The newest rounds of an agent, in memory alone: in each, all addresses of a monitor's name are reached. */
export class AddressRounds {
  readonly #newest = boundedCache<Round>(roundsMax);
  readonly #running = new Map<string, Promise<void>>();

  /** The newest round that is young enough, after one that is due with this attempt; null without. Never rejects. */
  async find(assignment: Assignment, { scheduledAt }: At, tools: ProbeTools): Promise<AddressFacts | null> {
    const endpoint = ownEndpoint(assignment);
    if (!watchesEach(assignment) || endpoint === null) return null;
    const { monitor_id, config_version } = assignment;
    const key = JSON.stringify([monitor_id, config_version, endpoint.host, endpoint.port]);
    const periodMs = Math.max(minuteMs, assignment.interval_ms);
    const period = Math.floor(scheduledAt / periodMs);
    if (this.#newest.get(key)?.period !== period)
      await this.#runOnce(key, async () => {
        const atMs = tools.clock.now();
        using deadline = new Deadline(assignment.timeout_ms);
        const addresses = await within(deadline, addressesOf(endpoint.host, assignment, tools));
        const list = await reachAll(addresses, assignment, tools, deadline);
        if (list.length === 0) return;
        const answering = list.filter(({ ok }) => ok).length;
        const facts = { at: new Date(atMs).toISOString(), total: list.length, answering, list };
        this.#newest.set(key, { period, untilMs: atMs + periodsMax * periodMs, facts });
      });
    const newest = this.#newest.get(key);
    return newest !== undefined && newest.untilMs >= tools.clock.now() ? newest.facts : null;
  }

  #runOnce(key: string, run: () => Promise<void>): Promise<void> {
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const started = run()
      .catch(() => undefined)
      .finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }
}

/** As name servers give them now; those that the agent may and can connect to. */
async function addressesOf(host: string, { egress }: Assignment, tools: ProbeTools): Promise<string[]> {
  const found = isIP(host) === 0 ? await tools.resolver.resolveAnew(host) : [host];
  const version = { any: null, ipv4: 4, ipv6: 6 }[egress?.ip_family ?? 'any'];
  const wanted = found.filter(address => version === null || isIP(address) === version);
  return inOrder(
    wanted.filter(address => isAllowed(address, tools.policy)),
    tools.health,
  );
}
