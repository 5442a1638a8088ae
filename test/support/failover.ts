import { type Relay, startRelay } from './relay.ts';
import { signalPostgres } from './signal-postgres.ts';
import { type Server, type Standby, startStandby } from './standby.ts';

/** A database that is reached at one address, as by a virtual one, whichever server is the primary. */
export type Failover = AsyncDisposable & {
  /** Leads the address to the first primary. Returns the URL there of the application's role. */
  begin(primary: Server): string;
  /** Makes a streaming standby of the primary, in a new folder. */
  addStandby(folder: string): Promise<Standby>;
  /** Nothing reaches the standby any more. */
  cutOff(): void;
  /** Kills the primary for good, promotes the standby and leads the address to it. */
  failOver(): Promise<void>;
};

export async function openFailover(): Promise<Failover> {
  const opened = new AsyncDisposableStack();
  const address = opened.use(await startRelay([]));
  let primary: Server | null = null;
  let following: { standby: Standby; replication: Relay } | null = null;
  return {
    begin: first => {
      primary = first;
      address.redirect([portOf(first)]);
      return atPort(first.url, portOf(address));
    },
    addStandby: async folder => {
      if (primary === null) throw new Error('there is no primary');
      const replication = opened.use(await startRelay([portOf(primary)]));
      const standby = opened.use(await startStandby(primary, folder, portOf(replication)));
      following = { standby, replication };
      return standby;
    },
    cutOff: () => following?.replication.freeze(),
    failOver: async () => {
      if (primary === null || following === null) throw new Error('there is no standby');
      signalPostgres(primary.pid, 'SIGKILL');
      following.replication.cut();
      await following.standby.promote();
      address.redirect([portOf(following.standby)]);
      primary = following.standby;
      following = null;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function portOf({ url }: { url: string }): number {
  return Number(new URL(url).port);
}

function atPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
