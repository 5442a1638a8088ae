import {
  alertKindWords,
  alertStateWords,
  impactWords,
  severityDescriptions,
  severityWords,
  stateWords,
  statusWords,
  verdictWords,
  voteWords,
} from '#control-plane/platform/design/labels.ts';
import {
  alertKindLooks,
  alertStateLooks,
  incidentStateLooks,
  type Look,
  maintenanceLook,
  severityLooks,
  statusLooks,
  verdictLooks,
  voteLooks,
} from '#control-plane/platform/design/looks.ts';
import type { ComponentStatus, Impact, ShownStatus } from '#shared/vocabulary.ts';
import type {
  Alert,
  Channel,
  CheckResult,
  Delivery,
  Maintenance,
  MaintenanceUpdate,
  Monitor,
  Notice,
} from '../session/api-types.ts';

/** How a state looks. Colour, shape and label always appear together, so that none is needed alone. */
export type Presentation = Look & { readonly label: string };
/** Value and label of each option. */
export type Choices = readonly (readonly [value: string, label: string])[];

/** States that only the dashboard shows; all others look and read as in `design/`. */
const checks = {
  ok: { tone: 'good', glyph: 'check', label: 'OK' },
  warn: { tone: 'warn', glyph: 'triangle', label: 'Warning' },
  err: { tone: 'bad', glyph: 'cross', label: 'Failed' },
} satisfies Record<CheckResult['status'], Presentation>;
const deliveries = {
  sent: { tone: 'good', glyph: 'check', label: 'Sent' },
  failed: { tone: 'bad', glyph: 'cross', label: 'Failed' },
  queued: { tone: 'quiet', glyph: 'ring', label: 'Queued' },
  held: { tone: 'warn', glyph: 'bars', label: 'Held' },
  cancelled: { tone: 'quiet', glyph: 'bars', label: 'Cancelled' },
} satisfies Record<Delivery['state'], Presentation>;

const maintenances = {
  scheduled: { tone: 'quiet', glyph: 'ring', label: 'Scheduled' },
  in_progress: { ...maintenanceLook, label: 'In progress' },
  verifying: { tone: 'info', glyph: 'eye', label: 'Verifying' },
  completed: { tone: 'good', glyph: 'check', label: 'Completed' },
  cancelled: { tone: 'quiet', glyph: 'bars', label: 'Cancelled' },
} satisfies Record<Maintenance['state'] | MaintenanceUpdate['state'], Presentation>;
const channels = {
  ok: { tone: 'good', glyph: 'check', label: 'OK' },
  failing: { tone: 'bad', glyph: 'cross', label: 'Failing' },
  unverified: { tone: 'warn', glyph: 'triangle', label: 'Not confirmed' },
  disabled: { tone: 'quiet', glyph: 'bars', label: 'Disabled' },
} satisfies Record<Channel['state'] | 'disabled', Presentation>;
const notices = {
  open: { tone: 'warn', glyph: 'triangle', label: 'Open' },
  closed: { tone: 'quiet', glyph: 'check', label: 'Closed' },
} satisfies Record<Notice['state'], Presentation>;

const planned = {
  maintenance: { ...maintenanceLook, label: 'In maintenance' },
  held: { ...maintenanceLook, label: 'Held' },
} satisfies Record<string, Presentation>;

const presentations = {
  verdicts: withWords(verdictLooks, verdictWords),
  votes: withWords(voteLooks, voteWords),
  checks,
  alerts: withWords(alertStateLooks, alertStateWords),
  'alert kinds': withWords(alertKindLooks, alertKindWords),
  planned,
  incidents: withWords(incidentStateLooks, stateWords),
  components: withWords(statusLooks, statusWords),
  deliveries,
  maintenances,
  channels,
  notices,
  severities: withWords(severityLooks, severityWords),
};
type Presentations = typeof presentations;

/** Shape, tone and label of a state. One that a newer server added is shown by its own name, never as good. */
export function presentation<Kind extends keyof Presentations>(
  kind: Kind,
  state: keyof Presentations[Kind] & string,
): Presentation {
  const states: Readonly<Record<string, Presentation>> = presentations[kind];
  return states[state] ?? { tone: 'unknown', glyph: 'question', label: state.replaceAll('_', ' ') };
}

/** The status of a monitor. In maintenance no status alarms: people planned it. */
export function monitorPresentation({ status, maintenance }: Pick<Monitor, 'status' | 'maintenance'>): Presentation {
  const state = presentation('verdicts', status);
  return maintenance === null || state.tone === 'good' ? state : { ...state, tone: maintenanceLook.tone };
}

/** The state of an alert: an open one that is held woke nobody, and one of slowness is no outage. */
export function alertPresentation({ kind, state, held }: Pick<Alert, 'kind' | 'state' | 'held'>): Presentation {
  if (state !== 'open') return presentation('alerts', state);
  if (held) return planned.held;
  return { ...presentation('alert kinds', kind), label: presentation('alerts', state).label };
}

/** `Impact: Partial outage`. */
export function impactLabel(impact: Impact): string {
  return `Impact: ${impactWords[impact] ?? impact}`;
}

export const impactChoices: Choices = Object.entries(impactWords);
export const severityChoices: Choices = Object.entries(severityDescriptions);
export const incidentStateChoices = choicesOf('incidents');
/** A component can be set to any status but unknown, which only the absence of data makes. */
export const componentStatusChoices = choicesOf('components').filter(([status]) => isSettable(status));
export const checkStatusChoices = choicesOf('checks');
export const alertKindChoices = choicesOf('alert kinds');
/** What maintenance updates may say. */
export const maintenanceStateChoices = choicesOf('maintenances').filter(([state]) => state !== 'cancelled');
export const noticeKindWords = {
  'region.silent': 'Silent region',
  'region.quarantined': 'Quarantined region',
  'agent.silent': 'Silent agent',
  'monitor.unable': 'Monitors without an agent',
  'heartbeat.unheard': 'Heartbeats never heard',
  'channel.failing': 'Failing channel',
  'work.failing': 'Items that fail',
  'email.failing': 'Emails not accepted',
} satisfies Record<Notice['kind'], string>;
/** The severities by their short names. */
export const severityNames = choicesOf('severities');
/** The same for filters. */
export const severityFilterChoices: Choices = [['', 'all'], ...choicesOf('severities')];

function choicesOf<Kind extends keyof Presentations>(kind: Kind): [keyof Presentations[Kind] & string, string][] {
  const states: Readonly<Record<string, Presentation>> = presentations[kind];
  return Object.entries(states).map(([state, { label }]) => [state as keyof Presentations[Kind] & string, label]);
}

function isSettable(status: ShownStatus): status is ComponentStatus {
  return status !== 'unknown';
}

function withWords<State extends string>(
  looks: Readonly<Record<State, Look>>,
  words: Readonly<Record<State, string>>,
): Readonly<Record<State, Presentation>> {
  const states = Object.keys(looks) as State[];
  return Object.fromEntries(states.map(state => [state, { ...looks[state], label: words[state] }])) as Record<
    State,
    Presentation
  >;
}
