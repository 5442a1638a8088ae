import { type Listening, listen } from '../platform/db/listen.ts';
import type { RoleServices } from './role.ts';

/** Listens to what other processes notify of: from the database, or from the broker if there is one. */
export function hear({ broker, config, log }: RoleServices, listening: Listening): AsyncDisposable {
  if (broker !== null) return broker.hear(listening);
  return listen({ connectionString: config.databaseUrl, log, channels: listening });
}
