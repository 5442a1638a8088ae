import { type EmbeddedOptions, startEmbedded } from '#control-plane/db/embedded/embedded.ts';

/** The embedded server as the launcher sees it: one that dies is started again, at the same address with the same data. */
export type KeptDatabase = {
  url: string;
  adminUrl: string;
  notice: string | null;
  adopted: boolean;
  stop(): Promise<void>;
};

const lookMs = 2000;

export async function keepDatabase(options: EmbeddedOptions, say: (line: string) => void): Promise<KeptDatabase> {
  let server = await startEmbedded(options);
  let restarting: Promise<void> = Promise.resolve();
  let busy = false;
  const restart = async () => {
    say('PostgreSQL ended and starts again');
    // Gives the data folder free for the next one.
    await server.stop().catch(() => undefined);
    server = await startEmbedded(options);
    say('PostgreSQL is back');
  };
  const timer = setInterval(() => {
    if (busy || isAlive(server.pid)) return;
    busy = true;
    restarting = restart()
      .catch(error => say(`PostgreSQL could not be started: ${(error as Error).message}`))
      .finally(() => {
        busy = false;
      });
  }, lookMs);
  const { url, adminUrl, notice, adopted } = server;
  return {
    url,
    adminUrl,
    notice,
    adopted,
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
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
