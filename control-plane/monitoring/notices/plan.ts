import type { Condition, NoticeKind } from './notice.ts';

export type OpenNotice = {
  id: string;
  project_id: string | null;
  kind: NoticeKind;
  subject_id: string;
  distinction: string;
};

/** Pure: which conditions open a notice, and which notices close since theirs is gone. */
export function planNotices(
  conditions: readonly Condition[],
  open: readonly OpenNotice[],
  nowMs: number,
): { opened: Condition[]; closed: OpenNotice[] } {
  const keyOf = (notice: OpenNotice) =>
    JSON.stringify([notice.project_id, notice.kind, notice.subject_id, notice.distinction]);
  const known = new Set(open.map(keyOf));
  const holding = new Map(
    conditions.map(condition => {
      const { projectId: project_id, kind, subjectId: subject_id, distinction } = condition;
      return [keyOf({ id: '', project_id, kind, subject_id, distinction }), condition];
    }),
  );
  const isDue = ({ sinceMs, afterMs }: Condition) => afterMs !== null && sinceMs + afterMs <= nowMs;
  return {
    opened: [...holding].filter(([key, condition]) => !known.has(key) && isDue(condition)).map(([, one]) => one),
    closed: open.filter(notice => !holding.has(keyOf(notice))),
  };
}
