import type { Services } from '../services.ts';
import { draining, type Timer } from '../timers/timers.ts';
import { dispatchFacts, type FactHandler } from './dispatch.ts';
import { isAnyFactDue } from './store.ts';

/** Hands committed facts to the handler. */
export function factsTimer({ pools, clock, metrics }: Services, handler: FactHandler): Timer {
  const { commits } = metrics;
  return {
    name: 'facts',
    everyMs: 250,
    due: isAnyFactDue,
    run: signal => {
      const options = { signal, committed: () => commits.mark('facts') };
      return draining(commits, 'facts', () => dispatchFacts(pools.background, handler, clock, options))(signal);
    },
  };
}
