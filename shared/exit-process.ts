import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Ends this process, like `process.exit`, without waiting for ever. */
export function exitProcess(code: number): never {
  collectGarbage();
  process.exit(code);
}

/**
 * At its end Node waits for the threads that compile: one of them that waits for a garbage collection would wait for
 * ever (nodejs/node#54918). Garbage is collected before, so that they have room.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
