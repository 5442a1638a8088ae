import { secondMs } from '#shared/duration.ts';
import { errorCode } from '#shared/error-code.ts';
import { type EmbeddedOptions, startEmbedded } from '../embedded-postgres/embedded.ts';

/** The embedded server, restarted when it dies: at the same address, with the same data. */
export type SupervisedDatabase = {
  url: string;
  /** Why TimescaleDB is missing, or null. */
  notice: string | null;
  /** Whether the server of an earlier start was still running. */
  adopted: boolean;
  /** Records the edition for good: something is stored now. */
  keepEdition(): Promise<void>;
  stop(): Promise<void>;
};

const pollMs = 2 * secondMs;

/** Starts the server and watches its process until `stop`. Throws EmbeddedError if the first start fails. */
export async function superviseDatabase(
  options: EmbeddedOptions,
  say: (line: string) => void,
): Promise<SupervisedDatabase> {
  let server = await startEmbedded(options);
  let restarting: Promise<void> = Promise.resolve();
  let isRestarting = false;
  const restart = async () => {
    say('PostgreSQL has exited, restarting it');
    // Unlocks the data folder for the next server.
    await server.stop().catch(() => undefined);
    server = await startEmbedded(options);
    say('PostgreSQL is running again');
  };
  const timer = setInterval(() => {
    if (isRestarting || isAlive(server.pid)) return;
    isRestarting = true;
    restarting = restart()
      .catch(error => say(`PostgreSQL could not be restarted: ${(error as Error).message}`))
      .finally(() => {
        isRestarting = false;
      });
  }, pollMs);
  const { url, notice, adopted } = server;
  return {
    url,
    notice,
    adopted,
    keepEdition: () => server.keepEdition(),
    stop: async () => {
      clearInterval(timer);
      await restarting;
      await server.stop();
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
