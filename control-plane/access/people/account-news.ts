import type { Sql } from '../../platform/db/sql.ts';

/** What people are emailed about. `by`: the id of another person; null for the operator's command. */
export type AccountNews =
  | { type: 'passkey_added'; passkey: string }
  | { type: 'account_linked'; issuer: string }
  | { type: 'link_made'; by: string | null }
  | { type: 'invitation_used'; by: string; role: string }
  | { type: 'operator_joined'; by: string };

/**
 * Queues an email to those of the people who have a verified address, in the transaction of what it is about. Another
 * wing sends it: bound in control-plane/roles/wings.ts. `projectId`: null for what is no project's.
 */
export type EmailPeople = (
  sql: Sql,
  to: { personIds: readonly string[]; projectId: string | null },
  news: AccountNews,
  nowMs: number,
) => Promise<void>;
