import { writeFile } from 'node:fs/promises';
import { errorMessage } from '#shared/error-message.ts';
import type { Logger } from '#shared/log.ts';

const everyMs = 10_000;

/** Touches a file now and every 10 s, until it is disposed. A file that cannot be written is logged once. */
export function startHeartbeat(path: string, log: Logger): Disposable {
  let failed = false;
  const beat = () =>
    writeFile(path, '').then(
      () => {
        failed = false;
      },
      error => {
        if (!failed) log.warn({ path, reason: errorMessage(error) }, 'the heartbeat file cannot be written');
        failed = true;
      },
    );
  void beat();
  const timer = setInterval(beat, everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
