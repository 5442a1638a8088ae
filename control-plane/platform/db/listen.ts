import pg from 'pg';
import { errorCode } from '#shared/error-code.ts';
import type { Logger } from '#shared/log.ts';
import { connectionOptions } from './pool.ts';

/** Channels of NOTIFY. */
export const channels = ['config', 'check_now', 'pages', 'probe', 'probed'] as const;
export type Channel = (typeof channels)[number];

/** What is called with the payloads of each channel, and with an empty one when some may have been missed. */
export type Listening = { [Name in Channel]?: (payload: string) => void };

/**
 * A connection that receives NOTIFY and reconnects by itself. Notifications in between are lost, so callers poll as
 * well.
 */
export type Listener = AsyncDisposable;

const reconnectMs = 1000;
const beatMs = 10_000;
const answerMs = 5000;

type ListenOptions = {
  connectionString: string;
  log: Logger;
  channels: Listening;
  /** How often the connection is asked whether it still carries anything; every ten seconds if not given. */
  beatMs?: number;
};

/**
 * Opens the connection in the background. `channels` are called with each payload, and with an empty one after every
 * connect, when notifications may have been missed. A connection that does not answer for five seconds is replaced:
 * one that fell silent delivers nothing and would look like a quiet one.
 */
export function listen(options: ListenOptions): Listener {
  let client: pg.Client | null = null;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: options.connectionString,
      options: connectionOptions({ worker: true, statementTimeoutMs: 10_000 }),
      connectionTimeoutMillis: 5000,
      query_timeout: answerMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: beatMs,
      application_name: 'upquorum listener',
    });
    client = next;
    let lost = false;
    let beat: NodeJS.Timeout | undefined;
    const reconnect = () => {
      clearTimeout(beat);
      if (lost || closed) return;
      lost = true;
      timer = setTimeout(connect, reconnectMs);
    };
    // With a statement that was not answered, `end` does not wait for the server.
    const ask = () => {
      if (!lost && !closed)
        beat = setTimeout(() => next.query('select 1').then(ask, () => next.end()), options.beatMs ?? beatMs);
    };
    next.on('error', reconnect);
    next.on('end', reconnect);
    next.on('notification', ({ channel, payload }) => options.channels[channel as Channel]?.(payload ?? ''));
    try {
      await next.connect();
      for (const channel of Object.keys(options.channels)) await next.query(`listen ${channel}`);
      for (const notify of Object.values(options.channels)) notify('');
      ask();
    } catch (error) {
      options.log.warn({ code: errorCode(error) }, 'could not connect to the database to listen for notifications');
      await next.end().catch(() => {});
      reconnect();
    }
  };
  void connect();
  return {
    [Symbol.asyncDispose]: async () => {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
