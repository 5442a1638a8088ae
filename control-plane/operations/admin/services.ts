import type pg from 'pg';
import type { MembersChanged } from '../../access/members/visits.ts';
import type { SignInSettings } from '../../access/oidc/settings.ts';
import type { Change } from '../../platform/audit/entry.ts';
import type { HashSecret } from '../../platform/audit/sealed.ts';
import type { Sql } from '../../platform/db/sql.ts';

/** Where the dashboard is if nobody said so. */
export const defaultUrl = 'http://localhost:8080';

/** `dataDir` is the folder of the embedded database; null if it is not on this machine. */
export type AdminConfig = Readonly<{
  databaseUrl: string;
  secretsKeys: readonly string[];
  publicUrl: string | null;
  smtpUrl: string | null;
  /** How people sign in; a text: what is wrong with its settings. */
  signIn: SignInSettings | string;
  dataDir: string | null;
}>;

/**
 * What every command works with. `sql` and `pool` see the rows of all projects; `progress` takes lines about work that
 * lasts.
 */
export type AdminServices = {
  sql: Sql;
  pool: pg.Pool;
  config: AdminConfig;
  nowMs: number;
  progress: (line: string) => void;
};

/** How a command records what it changed: in the audit of a project, or for the operator alone. */
export type Recording = { record(projectId: string | null, change: Change): Promise<void>; hash: HashSecret };

/** What a command that changes something works with. */
export type CommandServices = AdminServices & Recording & { membersChanged: MembersChanged };
