import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { type Verdict, verdicts, voteValues } from '#shared/vocabulary.ts';
import { type VerdictCause, type VerdictDecision, verdictCauses } from './timeline.ts';

/** A row of a monitor's history, as the API shows it. */
export const verdictRowSchema = z
  .object({
    verdict: z.enum(verdicts),
    since: z.string(),
    until: z.string().nullable().describe('End of the verdict; null for the present one.'),
    decided_at: z
      .string()
      .nullable()
      .describe('Time when the verdict was known: the end of the check, or the expiry of the vote, that made it.'),
    cause: z.enum(verdictCauses).nullable(),
    revised: z.boolean().describe('Whether results that arrived late changed the verdict.'),
    quorum: z.int().nullable(),
    config_version: z.int(),
    votes: z.array(
      z.object({
        region: z.string(),
        vote: z.enum(voteValues),
        counted: z.boolean().nullable().describe('Whether the vote counts; false for a quarantined region.'),
        since: z.string().nullable(),
        as_of: z.string().nullable(),
        expires_at: z.string().nullable(),
        check_id: z
          .string()
          .nullable()
          .describe('ID of the check that cast or refreshed the vote. Checks are stored for 30 days.'),
      }),
    ),
  })
  .meta({ title: 'VerdictRow' });
export type VerdictRowView = z.infer<typeof verdictRowSchema>;

export type VerdictRow = {
  verdict: Verdict;
  since: number;
  until: number | null;
  decided_at: number | null;
  cause: VerdictCause | null;
  revised: boolean;
  quorum: number | null;
  config_version: number;
  votes: Record<string, VerdictRowView['votes'][number]['vote']>;
  ballots: VerdictDecision['ballots'] | null;
};

/** `checkIdOf` names the check behind a region's vote, by the end of the check. */
export function viewVerdictRow(
  row: VerdictRow,
  checkIdOf: (region: string, asOf: number) => string | null,
): VerdictRowView {
  const time = (ms: number | null | undefined) =>
    ms === null || ms === undefined || ms === 0 ? null : toTimestamp(ms);
  return {
    verdict: row.verdict,
    since: toTimestamp(row.since),
    until: time(row.until),
    decided_at: time(row.decided_at),
    cause: row.cause,
    revised: row.revised,
    quorum: row.quorum,
    config_version: row.config_version,
    votes: Object.entries(row.votes).map(([region, counted]) => {
      const ballot = row.ballots?.[region];
      return {
        region,
        vote: ballot?.vote ?? counted,
        counted: ballot === undefined ? null : ballot.counted,
        since: time(ballot?.since),
        as_of: time(ballot?.as_of),
        expires_at: time(ballot?.expires_at),
        check_id: ballot === undefined || ballot.as_of === 0 ? null : checkIdOf(region, ballot.as_of),
      };
    }),
  };
}
