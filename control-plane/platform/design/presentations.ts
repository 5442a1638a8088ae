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
export type Presentation = { readonly tone: DashboardTone; readonly glyph: Glyph };

const good: Presentation = { tone: 'good', glyph: 'check' };
const warn: Presentation = { tone: 'warn', glyph: 'triangle' };
const bad: Presentation = { tone: 'bad', glyph: 'cross' };
const unknown: Presentation = { tone: 'unknown', glyph: 'question' };
const waiting: Presentation = { tone: 'quiet', glyph: 'ring' };
const stopped: Presentation = { tone: 'quiet', glyph: 'bars' };

export const verdictPresentations = {
  up: good,
  degraded: warn,
  down: bad,
  undetermined: unknown,
  pending: waiting,
  paused: stopped,
  deleted: stopped,
} satisfies Record<Verdict, Presentation>;

export const votePresentations = { up: good, warn, down: bad, unknown } satisfies Record<VoteValue, Presentation>;

export const severityPresentations = { p1: bad, p2: warn, p3: waiting } satisfies Record<Severity, Presentation>;

export const alertStatePresentations = {
  open: bad,
  acknowledged: { tone: 'warn', glyph: 'eye' },
  resolved: good,
} satisfies Record<AlertState, Presentation>;

export const alertKindPresentations = { down: bad, degraded: warn, certificate: warn, domain: warn } satisfies Record<
  AlertKind,
  Presentation
>;

/** What is planned: it needs nobody now. */
export const maintenancePresentation: Presentation = { tone: 'info', glyph: 'gear' };

export const incidentStatePresentations = {
  investigating: bad,
  identified: warn,
  monitoring: { tone: 'info', glyph: 'eye' },
  resolved: good,
} satisfies Record<IncidentState, Presentation>;

export const statusPresentations = {
  operational: good,
  degraded_performance: warn,
  partial_outage: warn,
  major_outage: bad,
  under_maintenance: maintenancePresentation,
  unknown,
} satisfies Record<ShownStatus, Presentation>;
