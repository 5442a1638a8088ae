import type { Clock } from '#shared/clock.ts';
import { errorCode } from '#shared/error-code.ts';
import type { Logger } from '#shared/log.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import type { ProbeHooks } from '../agents/hooks.ts';
import type { Sessions } from '../agents/sessions.ts';
import type { ProbeAnswer } from './probe.ts';
import { answerProbe, takeProbes } from './store.ts';

type DispatcherServices = { sql: Sql; sessions: Sessions; keyring: Keyring; clock: Clock; log: Logger };

/** Hands requests to the agents of this replica, whichever replica was asked, and their answers back. */
export class ProbeDispatcher implements ProbeHooks {
  readonly #services: DispatcherServices;
  /** Which agent was asked, by request. */
  readonly #asked = new Map<string, { agentId: string; expiresAt: number }>();

  constructor(services: DispatcherServices) {
    this.#services = services;
  }

  /** There may be requests for these agents, separated by commas; for any if there are none. Never throws. */
  async notified(payload: string): Promise<void> {
    const { sql, sessions, clock, keyring, log } = this.#services;
    const named = new Set(payload === '' ? [] : payload.split(','));
    const ours = [...sessions].filter(({ ready, agent }) => ready && (payload === '' || named.has(agent.id)));
    if (ours.length === 0) return;
    const nowMs = clock.now();
    for (const [id, { expiresAt }] of this.#asked) if (expiresAt < nowMs) this.#asked.delete(id);
    try {
      const ids = ours.map(({ agent }) => agent.id);
      for (const { id, agent_id: agentId, sealed_request, expires_at } of await takeProbes(sql, ids, nowMs)) {
        const assignment = JSON.parse(keyring.open(sealed_request, requestContext(id))) as Assignment;
        this.#asked.set(id, { agentId, expiresAt: expires_at });
        sessions.get(agentId)?.send({ type: 'probe_now', request_id: id, assignment });
      }
    } catch (error) {
      log.warn({ code: errorCode(error) }, 'could not pass a test of a monitor to agents');
    }
  }

  probed(...[session, { request_id: id, result, response, steps }]: Parameters<ProbeHooks['probed']>): void {
    const { sql, keyring, log } = this.#services;
    if (this.#asked.get(id)?.agentId !== session.agent.id) return;
    this.#asked.delete(id);
    const answer: ProbeAnswer = { result, response, ...(steps === undefined ? {} : { steps }) };
    const sealed = keyring.seal(JSON.stringify(answer), answerContext(id));
    answerProbe(sql, id, sealed).catch(error =>
      log.warn({ code: errorCode(error), agent: session.agent.id }, 'could not pass on the answer to a test'),
    );
  }
}

export function requestContext(id: string): string {
  return `probe ${id} request`;
}

export function answerContext(id: string): string {
  return `probe ${id} answer`;
}
