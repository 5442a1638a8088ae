import { wait } from '#shared/wait.ts';
import { type Api, apiOf, type Reply } from '../../support/control-plane.ts';
import type { Grounds, Tally } from './attack.ts';

/** Repeats work in several lines at once until the signal aborts. Errors are part of an attack. */
export async function repeat(
  lines: number,
  signal: AbortSignal,
  work: (count: number, line: number) => Promise<unknown>,
): Promise<void> {
  const line = async (index: number): Promise<void> => {
    for (let count = 0; !signal.aborted; count++) {
      await work(count, index).catch(() => undefined);
      // A refused connection fails at once, and must not spin.
      await wait(5);
    }
  };
  await Promise.all(Array.from({ length: lines }, (_, index) => line(index)));
}

/** The attacker’s API: each answer is counted, and after a 429 it waits a little, as a patient one does. */
export function talliedApi({ url, token }: Pick<Grounds, 'url' | 'token'>, tally: Tally): Api {
  const api = apiOf(url, token);
  return async (...call): Promise<Reply> => {
    const [method, path] = call;
    const reply = await api(...call);
    tally(`${method} ${path.split(/[?/]/).slice(1, 3).join('/')} ${reply.status}`);
    if (reply.status === 429) await wait(200);
    return reply;
  };
}
