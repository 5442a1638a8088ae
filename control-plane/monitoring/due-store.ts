import { fragment, instant } from '../platform/db/sql.ts';

// What timers of monitors wait for: each condition holds whenever its timer has something to do, and costs one look at
// an index.

/** A vote runs out, or time opens or resolves an alert, or one is to be evaluated again. */
export const isSweepDue = (nowMs: number) => fragment`(
  exists (select from monitor_states where sweep_at <= ${instant(nowMs)})
  or exists (select from alert_clocks where due_at <= ${instant(nowMs)})
  or exists (select from work_failures where work = 'alerts' and retry_at <= ${instant(nowMs)})
  or exists (select from monitor_states where certificates_due_at <= ${instant(nowMs)})
)`;

/** A heartbeat's time is up. */
export const isDeadlineDue = (nowMs: number) => fragment`
  exists (select from heartbeats where due_at <= ${instant(nowMs)})`;

/** A name was looked up, now or before: a monitor without a vote may need what is known of it. */
export const isLookupKnown = () => fragment`exists (select from domain_lookups)`;

/** A history has to be computed again. */
export const isReplayWanted = () => fragment`exists (select from monitor_states where replay_from is not null)`;

/** A maintenance is announced, starts or ends. */
export const isOccurrenceDue = (nowMs: number) => fragment`
  exists (select from maintenance_occurrences where due_at <= ${instant(nowMs)})`;

/** There are alerts to suppress, or to release. */
export const isAnyUnresolved = () => fragment`exists (select from alerts where resolved_at is null)`;

/** There are alerts to escalate. */
export const isAnyUnescalated = () => fragment`
  exists (select from alerts where state = 'open' and escalated_at is null)`;
