import pg from 'pg';
import type { Logger } from '#shared/log.ts';
import { connectionOptions } from './pool.ts';

export type Channel = 'config' | 'check_now' | 'pages';

/** One connection that hears NOTIFY and comes back by itself. What was told while it was away is lost: poll as well. */
export type Listener = { close(): Promise<void> };

const reconnectMs = 1000;

export function listen(options: {
  connectionString: string;
  log: Logger;
  channels: { [Name in Channel]: (payload: string) => void };
}): Listener {
  let client: pg.Client | null = null;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: options.connectionString,
      options: connectionOptions({ worker: true, statementTimeoutMs: 10_000 }),
      connectionTimeoutMillis: 5000,
      keepAlive: true,
      application_name: 'upquorum listener',
    });
    client = next;
    let lost = false;
    const again = () => {
      if (lost || closed) return;
      lost = true;
      timer = setTimeout(connect, reconnectMs);
    };
    next.on('error', again);
    next.on('end', again);
    next.on('notification', ({ channel, payload }) => options.channels[channel as Channel]?.(payload ?? ''));
    try {
      await next.connect();
      for (const channel of Object.keys(options.channels)) await next.query(`listen ${channel}`);
      for (const hear of Object.values(options.channels)) hear('');
    } catch (error) {
      options.log.warn({ code: (error as { code?: string }).code }, 'listener could not connect');
      await next.end().catch(() => {});
      again();
    }
  };
  void connect();
  return {
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
