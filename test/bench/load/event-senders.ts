import { createTenant } from '../../support/control-plane.ts';
import { raiseLimits } from '../../support/events.ts';
import { openRaw, type RawAnswer, type RawConnection, writeRequest } from '../../support/raw-connection.ts';

/** A project whose limits never stop a measurement. */
export async function openProject(databaseUrl: string): Promise<{ projectId: string; token: string }> {
  const tenant = await createTenant(databaseUrl);
  await raiseLimits(databaseUrl, tenant.projectId);
  return tenant;
}

/** An ordinary event of some 200 bytes. */
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
 * Sends the same requests over and over, each connection one at a time, until told to stop. `answered` gets the status
 * and the body of each answer, null when the connection broke.
 */
export function startSenders(
  port: number,
  connections: number,
  requestOf: (connection: number) => Uint8Array,
  answered: (status: number | null, body: string, connection: number) => Promise<void> | void,
): { stop(): Promise<void> } {
  let stopped = false;
  const run = async (place: number): Promise<void> => {
    let connection: RawConnection | null = null;
    while (!stopped) {
      let answer: RawAnswer | null = null;
      try {
        if (connection === null || !connection.open) connection = await openRaw(port);
        answer = await connection.exchange(requestOf(place), 'POST');
      } catch {
        connection = null;
      }
      await answered(answer?.status ?? null, answer?.body ?? '', place);
    }
    await connection?.[Symbol.asyncDispose]();
  };
  const running = Array.from({ length: connections }, (_, place) => run(place));
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
  };
}
