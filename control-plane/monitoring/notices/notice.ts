import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';

export const noticeKinds = [
  'region.silent',
  'region.quarantined',
  'agent.silent',
  'monitor.unable',
  'heartbeat.unheard',
  'channel.failing',
  'work.failing',
  'email.failing',
  'page_domain.failing',
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

export const noticeSchema = z
  .object({
    id: z.string(),
    kind: z.enum(noticeKinds),
    subject: z.object({
      type: z.enum(['region', 'agent', 'channel', 'work', 'email', 'monitor', 'page_domain']),
      id: z.string(),
      name: z.string(),
    }),
    title: z.string(),
    detail: z.string(),
    state: z.enum(['open', 'closed']),
    late_results: z.boolean().describe('Whether results of checks from that time arrived later.'),
    opened_at: z.string(),
    closed_at: z.string().nullable(),
  })
  .meta({ title: 'Notice' });
export type NoticeView = z.infer<typeof noticeSchema>;

/** Why a notice is or should be open. `afterMs` later it opens; null: never, but one that is open stays. */
export type Condition = {
  /** Null: about what all projects share, and no project is the operator's. */
  projectId: string | null;
  kind: NoticeKind;
  subjectType: NoticeView['subject']['type'];
  subjectId: string;
  subjectName: string;
  distinction: string;
  sinceMs: number;
  afterMs: number | null;
  title: string;
  detail: string;
};

/** A row of `notices`, read with `noticeColumns`. */
export type NoticeRow = {
  id: string;
  kind: NoticeKind;
  subject_type: NoticeView['subject']['type'];
  subject_id: string;
  subject_name: string;
  title: string;
  detail: string;
  late_results: boolean;
  opened_at: number;
  closed_at: number | null;
};

export function viewNotice(row: NoticeRow): NoticeView {
  return {
    id: row.id,
    kind: row.kind,
    subject: { type: row.subject_type, id: row.subject_id, name: row.subject_name },
    title: row.title,
    detail: row.detail,
    state: row.closed_at === null ? 'open' : 'closed',
    late_results: row.late_results,
    opened_at: toTimestamp(row.opened_at),
    closed_at: row.closed_at === null ? null : toTimestamp(row.closed_at),
  };
}
