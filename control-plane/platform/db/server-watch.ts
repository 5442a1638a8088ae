import type pg from 'pg';

/** Which server our connections lead to. One that was restarted is another one, and so is a standby that took over. */
export type ServerWatch = {
  /** Asks a new connection, before it is used. */
  meet(client: pg.ClientBase): Promise<void>;
  /** Calls back before the first statement to another server: it may lack what we know to be stored. */
  onChange(forget: () => void): void;
};

export function createServerWatch(): ServerWatch {
  const listeners: (() => void)[] = [];
  let known: string | null = null;
  return {
    meet: async client => {
      // By its start: a standby that was promoted has the primary's identifier, and knows its timeline only later.
      const { rows } = await client.query<{ started: string }>('select pg_postmaster_start_time()::text as started');
      const started = rows[0]?.started ?? null;
      if (started === known) return;
      const isFirst = known === null;
      known = started;
      if (!isFirst) for (const forget of listeners) forget();
    },
    onChange: forget => void listeners.push(forget),
  };
}
