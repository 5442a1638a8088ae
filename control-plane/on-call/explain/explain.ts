import { partialOf } from '#shared/checks/addresses.ts';
import { toTimestamp } from '#shared/clock.ts';
import { isVoter } from '#shared/vocabulary.ts';
import type { AlertRow } from '../../monitoring/alerts/store.ts';
import { type ResultRow, viewResult } from '../../monitoring/checks/result.ts';
import type { CurrentWindow } from '../../monitoring/memberships/window-store.ts';
import type { AlertRules } from '../../monitoring/monitors/alert-rules.ts';
import type { Ballot } from '../../monitoring/verdicts/timeline.ts';
import { verdictOf } from '../../monitoring/verdicts/verdict.ts';
import type { VerdictRow } from '../../monitoring/verdicts/verdict-row.ts';
import { unknownReason } from '../../monitoring/verdicts/vote.ts';
import { certificateSentence, domainSentence, explainCertificates, missingOfExpiry } from './certificate.ts';
import { explainDomain } from './domain.ts';
import type { ExplainedVote, Explanation } from './explanation.ts';
import { voteText } from './vote-text.ts';

/** Everything that is stored about an alert. `results` are those of its regions around the votes. */
export type Evidence = {
  alert: AlertRow;
  notifiedAt: number | null;
  row: VerdictRow | null;
  rules: AlertRules | null;
  results: readonly ResultRow[];
  lastGoodAt: number | null;
  window: CurrentWindow | null;
  group: ExplainedGroup | null;
  /** Of an alert about an end: the last results of its regions that say something of it. */
  certificates: readonly ResultRow[];
  deliveries: readonly { id: string; channel: string; state: string; created_at: number; sent_at: number | null }[];
};

/** Instants in milliseconds. */
export type ExplainedGroup = Omit<NonNullable<Explanation['group']>, 'opened_at' | 'told_at'> & {
  opened_at: number;
  told_at: number | null;
};

const time = (ms: number | null | undefined) => (ms === null || ms === undefined || ms <= 0 ? null : toTimestamp(ms));
const endOf = (result: ResultRow) => Math.min(result.completed_at, result.received_at);

/** Pure: why an alert opened, from what is stored. What is no longer kept is null and named in `missing`. */
export function explain(evidence: Evidence): Explanation {
  const { alert, row, rules } = evidence;
  const isExpiry = alert.kind === 'certificate' || alert.kind === 'domain';
  const votes = isExpiry ? [] : alert.regions.map(region => explainVote(region, evidence));
  const certificates = alert.kind === 'certificate' ? explainCertificates(evidence.certificates, rules) : [];
  const domain = alert.kind === 'domain' ? explainDomain(evidence.certificates, rules) : null;
  const clock = readClock(evidence);
  return {
    alert_id: alert.id,
    sentence:
      alert.kind === 'domain'
        ? domainSentence(alert, domain)
        : isExpiry
          ? certificateSentence(alert, certificates)
          : sentenceOf(evidence, votes),
    rule: {
      kind: alert.kind,
      regions: alert.regions,
      quorum: row?.quorum ?? alert.quorum,
      config_version: row?.config_version ?? null,
      rules_version: alert.rules_version,
      alert_rules: rules,
    },
    votes,
    certificates,
    domain,
    flips: row === null ? [] : flipsOf(votes, row.quorum ?? alert.quorum),
    maintenance: maintenanceOf(evidence),
    group: groupOf(evidence),
    deliveries: evidence.deliveries.map(({ id, channel, state, created_at, sent_at }) => ({
      id,
      channel,
      state,
      created_at: toTimestamp(created_at),
      sent_at: time(sent_at),
    })),
    missing:
      alert.kind === 'domain'
        ? missingOfExpiry('domain', domain !== null, rules)
        : isExpiry
          ? missingOfExpiry('certificates', certificates.length > 0, rules)
          : missingOf(evidence, votes),
    clock,
  };
}

function maintenanceOf({ alert, window }: Evidence): Explanation['maintenance'] {
  if (window === null) return null;
  return {
    id: window.maintenance_id,
    occurrence_id: window.occurrence_id,
    ends_at: toTimestamp(window.ends_at),
    held_since: time(alert.held_since),
    released_at: time(alert.released_at),
  };
}

function groupOf({ group }: Evidence): Explanation['group'] {
  return group === null ? null : { ...group, opened_at: toTimestamp(group.opened_at), told_at: time(group.told_at) };
}

function explainVote(region: string, { row, results }: Evidence): ExplainedVote {
  const ballot = row?.ballots?.[region];
  const vote = ballot?.vote ?? row?.votes[region] ?? 'unknown';
  const check = results.find(result => result.region === region && endOf(result) === ballot?.as_of);
  const decidedAt = row?.decided_at ?? null;
  const counted = ballot?.counted ?? vote !== 'unknown';
  return {
    region,
    vote,
    since: time(ballot?.since),
    as_of: time(ballot?.as_of),
    expires_at: time(ballot?.expires_at),
    age_ms: ballot === undefined || ballot.as_of === 0 || decidedAt === null ? null : decidedAt - ballot.as_of,
    counted,
    why_not: counted ? null : whyNot(vote, ballot, check),
    partial_addresses: partialOf(check?.detail.facts?.addresses),
    check: check === undefined ? null : viewResult(check),
  };
}

function whyNot(vote: string, ballot: Ballot | undefined, check: ResultRow | undefined): ExplainedVote['why_not'] {
  if (vote !== 'unknown') return 'quarantined';
  if (ballot === undefined || ballot.as_of === 0) return 'no_result';
  if (check?.status !== 'err') return 'expired';
  return unknownReason({ region: check.region, failureSource: check.failure_source }) ?? 'expired';
}

/** Each single vote that would have made another verdict. */
export function flipsOf(
  votes: readonly Pick<ExplainedVote, 'region' | 'vote' | 'counted'>[],
  quorum: number,
): Explanation['flips'] {
  const counted = votes.map(({ vote, counted }) => (counted ? vote : 'unknown'));
  const verdict = verdictOf(counted, quorum);
  return votes.flatMap(({ region }, index) =>
    (['up', 'down', 'unknown'] as const).flatMap(vote => {
      const changed = verdictOf(counted.with(index, vote), quorum);
      return changed === verdict ? [] : [{ region, vote, verdict: changed }];
    }),
  );
}

/** The down vote that began first, with the results of its first failed attempt. */
function readClock(evidence: Evidence): Explanation['clock'] {
  const { alert, row, results, lastGoodAt, notifiedAt, deliveries } = evidence;
  const failing = Object.entries(row?.ballots ?? {})
    .filter(([, ballot]) => ballot.counted && ballot.vote === (alert.kind === 'degraded' ? 'warn' : 'down'))
    .sort(([, left], [, right]) => left.since - right.since);
  const [first] = failing;
  const attempt = results.find(
    result =>
      first !== undefined &&
      result.region === first[0] &&
      result.status !== 'ok' &&
      Math.min(result.started_at, endOf(result)) === first[1].since,
  );
  const confirmed = failing.flatMap(([region, ballot]) => {
    const turned = results
      .filter(result => result.region === region && result.status === 'err' && result.attempt >= 2)
      .map(endOf)
      .filter(end => end >= ballot.since);
    return turned.length === 0 ? [] : [{ region, at: Math.min(...turned) }];
  });
  const asked = results.filter(
    ({ kind, scheduled_at: at }) =>
      kind === 'confirm' && at >= (first?.[1].since ?? 0) && at <= (row?.decided_at ?? Number.POSITIVE_INFINITY),
  );
  const sent = deliveries.flatMap(({ sent_at }) => sent_at ?? []);
  const instants: [name: string, ms: number | null][] = [
    ['last_good', first === undefined ? null : lastGoodAt],
    ['failing', first?.[1].since ?? null],
    ['failed', attempt === undefined ? null : endOf(attempt)],
    ['reported', attempt?.received_at ?? null],
    ['confirm_asked', asked.length === 0 ? null : Math.min(...asked.map(result => result.scheduled_at))],
    ['quorum', row?.decided_at ?? null],
    ['opens', alert.opened_at],
    ['created', alert.created_at],
    ['told', notifiedAt],
    ['sent', sent.length === 0 ? null : Math.min(...sent)],
  ];
  const known = instants.flatMap(([name, ms]) => (ms === null ? [] : [[name, ms] as const]));
  const at = Object.fromEntries(known);
  return {
    last_good: time(at.last_good),
    failing: time(at.failing),
    failed: time(at.failed),
    reported: time(at.reported),
    confirm_asked: time(at.confirm_asked),
    confirmed: confirmed.map(({ region, at }) => ({ region, at: toTimestamp(at) })),
    quorum: time(at.quorum),
    opens: toTimestamp(alert.opened_at),
    created: toTimestamp(alert.created_at),
    told: time(at.told),
    sent: time(at.sent),
    ms: Object.fromEntries(known.slice(1).map(([name, ms], index) => [name, ms - (known[index]?.[1] ?? ms)])),
    unseen_ms: at.last_good === undefined || at.failing === undefined ? null : at.failing - at.last_good,
  };
}

function missingOf({ row, alert, rules }: Evidence, votes: readonly ExplainedVote[]): Explanation['missing'] {
  if (row === null) return [{ what: 'votes', why: 'the verdict that opened the alert was corrected by late results' }];
  const missing: Explanation['missing'] = [];
  if (row.ballots === null || row.decided_at === null)
    missing.push({ what: 'votes', why: 'a version before 0.5.0 decided the verdict and kept no ages' });
  for (const { region, as_of, check } of votes)
    if (as_of !== null && check === null)
      missing.push({ what: `check of ${region}`, why: 'raw results are kept for 30 days' });
  if (rules === null && alert.rules_version !== null)
    missing.push({ what: 'alert_rules', why: 'versions are kept for 31 days' });
  return missing;
}

function sentenceOf({ alert, row, rules }: Evidence, votes: readonly ExplainedVote[]): string {
  const bad = alert.kind === 'degraded' ? ['warn', 'down'] : ['down'];
  const failing = votes.filter(vote => vote.counted && bad.includes(vote.vote));
  const count = row === null ? alert.regions_failing.length : failing.length;
  const verb = alert.kind === 'degraded' ? 'warned or failed' : 'failed';
  const since = `${alert.kind === 'degraded' ? 'Degraded' : 'Down'} since ${toTimestamp(alert.started_at)}`;
  const waited =
    rules !== null && alert.kind === 'down' ? rules.confirm_seconds : (rules?.degraded?.after_seconds ?? 0);
  const wait = waited > 0 ? ` It opened after ${waited} s.` : '';
  // No agent checks it: there is one vote, and its check says why.
  if (alert.regions.every(isVoter))
    return `${since}: ${votes[0]?.check?.error?.message ?? alert.reason.summary}.${wait}`;
  const head = `${since}: ${count} of ${alert.regions.length} regions ${verb} (quorum ${row?.quorum ?? alert.quorum})`;
  const parts = votes.map(voteText);
  return `${head}${parts.length === 0 || row === null ? '' : `: ${parts.join('; ')}`}.${wait}`;
}
