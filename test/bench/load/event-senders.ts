import { createTenant } from '../../support/control-plane.ts';
import { raiseLimits } from '../../support/events.ts';
import { openRaw, type RawAnswer, type RawConnection, writeRequest } from '../../support/raw-connection.ts';

/** Creates a project with limits that no measurement reaches. */
export async function openProject(databaseUrl: string): Promise<{ projectId: string; token: string }> {
  const tenant = await createTenant(databaseUrl, ['*'], 'enterprise');
  await raiseLimits(databaseUrl, tenant.projectId);
  return tenant;
}

/** Makes an ordinary event of about 200 bytes. */
export function makeEvent(number: number) {
  return {
    name: ['page viewed', 'added to cart', 'paid', 'searched'][number % 4],
    external_user_id: `user-${number % 5000}`,
    session_id: `session-${number % 9000}`,
    props: { path: `/products/${number % 1000}`, referrer: 'newsletter', amount: number % 97 },
  };
}

/** A request that posts these events. */
export function postRequest(token: string, events: unknown): Uint8Array {
  return writeRequest('POST', '/v0/events', { authorization: `Bearer ${token}` }, JSON.stringify(events));
}

/**
 * Sends requests over and over, one at a time on each connection, until `stop`. `answered` gets the status and the body
 * of each response; the status is null if the connection broke.
 */
export function startSenders(
  port: number,
  connections: number,
  requestOf: (connection: number) => Uint8Array,
  answered: (status: number | null, body: string, connection: number) => Promise<void> | void,
): { stop(): Promise<void> } {
  let stopped = false;
  const run = async (index: number): Promise<void> => {
    let connection: RawConnection | null = null;
    while (!stopped) {
      let answer: RawAnswer | null = null;
      try {
        if (connection === null || !connection.open) connection = await openRaw(port);
        answer = await connection.exchange(requestOf(index), 'POST');
      } catch {
        connection = null;
      }
      await answered(answer?.status ?? null, answer?.body ?? '', index);
    }
    await connection?.[Symbol.asyncDispose]();
  };
  const running = Array.from({ length: connections }, (_, index) => run(index));
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
  };
}
