import { setImmediate } from 'node:timers/promises';
import type { Timers } from '#shared/timers.ts';
import { wait } from '#shared/wait.ts';

/** How time passes for what moves messages. A simulation has its own. */
export type IntakeTime = Pick<Timers, 'wait'> & {
  random(): number;
  /** Resolves after a turn of the event loop. */
  turn(): Promise<unknown>;
};

/** That of the process. */
export const processTime: IntakeTime = { wait, random: Math.random, turn: () => setImmediate() };
