import type {
  AlertKind,
  AlertState,
  IncidentState,
  Severity,
  ShownStatus,
  Verdict,
  VoteValue,
} from '#shared/vocabulary.ts';
import type { Glyph } from './icons.ts';

// How the dashboard shows states. Browsers load this file too: it must import nothing but types.

/** Classes of the dashboard's style sheets: fewer than the tones of status pages, since operators read many at once. */
type DashboardTone = 'good' | 'warn' | 'bad' | 'unknown' | 'quiet' | 'info';
/** Colour and shape of a state; its word always stands beside them. */
export type Look = { readonly tone: DashboardTone; readonly glyph: Glyph };

const good: Look = { tone: 'good', glyph: 'check' };
const warn: Look = { tone: 'warn', glyph: 'triangle' };
const bad: Look = { tone: 'bad', glyph: 'cross' };
const unknown: Look = { tone: 'unknown', glyph: 'question' };
const waiting: Look = { tone: 'quiet', glyph: 'ring' };
const stopped: Look = { tone: 'quiet', glyph: 'bars' };

export const verdictLooks = {
  up: good,
  degraded: warn,
  down: bad,
  undetermined: unknown,
  pending: waiting,
  paused: stopped,
  deleted: stopped,
} satisfies Record<Verdict, Look>;

export const voteLooks = { up: good, warn, down: bad, unknown } satisfies Record<VoteValue, Look>;

export const severityLooks = { p1: bad, p2: warn, p3: waiting } satisfies Record<Severity, Look>;

export const alertStateLooks = {
  open: bad,
  acknowledged: { tone: 'warn', glyph: 'eye' },
  resolved: good,
} satisfies Record<AlertState, Look>;

export const alertKindLooks = { down: bad, degraded: warn, certificate: warn } satisfies Record<AlertKind, Look>;

/** What is planned: it needs nobody now. */
export const maintenanceLook: Look = { tone: 'info', glyph: 'gear' };

export const incidentStateLooks = {
  investigating: bad,
  identified: warn,
  monitoring: { tone: 'info', glyph: 'eye' },
  resolved: good,
} satisfies Record<IncidentState, Look>;

export const statusLooks = {
  operational: good,
  degraded_performance: warn,
  partial_outage: warn,
  major_outage: bad,
  under_maintenance: maintenanceLook,
  unknown,
} satisfies Record<ShownStatus, Look>;
