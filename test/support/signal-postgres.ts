import { errorCode } from '#shared/error-code.ts';
import { childrenOf } from '../bench/cpu.ts';

/** A signal to a PostgreSQL server: to the postmaster first, because it would restart backends. */
export function signalPostgres(postmaster: number, signal: NodeJS.Signals): void {
  const children = childrenOf(postmaster);
  for (const pid of [postmaster, ...children]) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (errorCode(error) !== 'ESRCH') throw error;
    }
  }
}
