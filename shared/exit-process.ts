import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Ends this process, like `process.exit`. There Node waits for the threads that compile, and one of them that waits for
 * a garbage collection waits for ever (nodejs/node#54918): one more now leaves them room until the end.
 */
export function exitProcess(code: number): never {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  process.exit(code);
}
