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
  alertKindPresentations,
  alertStatePresentations,
  incidentStatePresentations,
  maintenancePresentation,
  type Presentation,
  severityPresentations,
  statusPresentations,
  verdictPresentations,
  votePresentations,
} from '#control-plane/platform/design/presentations.ts';
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
export type LabelledPresentation = Presentation & { readonly label: string };
/** Value and label of each option. */
export type Choices = readonly (readonly [value: string, label: string])[];

/** States that only the dashboard shows; all others look and read as in `design/`. */
const checks = {
  ok: { tone: 'good', glyph: 'check', label: 'OK' },
  warn: { tone: 'warn', glyph: 'triangle', label: 'Warning' },
  err: { tone: 'bad', glyph: 'cross', label: 'Failed' },
} satisfies Record<CheckResult['status'], LabelledPresentation>;
const deliveries = {
  sent: { tone: 'good', glyph: 'check', label: 'Sent' },
  failed: { tone: 'bad', glyph: 'cross', label: 'Failed' },
  queued: { tone: 'quiet', glyph: 'ring', label: 'Queued' },
  held: { tone: 'warn', glyph: 'bars', label: 'Held' },
  cancelled: { tone: 'quiet', glyph: 'bars', label: 'Cancelled' },
} satisfies Record<Delivery['state'], LabelledPresentation>;

const maintenances = {
  scheduled: { tone: 'quiet', glyph: 'ring', label: 'Scheduled' },
  in_progress: { ...maintenancePresentation, label: 'In progress' },
  verifying: { tone: 'info', glyph: 'eye', label: 'Verifying' },
  completed: { tone: 'good', glyph: 'check', label: 'Completed' },
  cancelled: { tone: 'quiet', glyph: 'bars', label: 'Cancelled' },
} satisfies Record<Maintenance['state'] | MaintenanceUpdate['state'], LabelledPresentation>;
const channels = {
  ok: { tone: 'good', glyph: 'check', label: 'OK' },
  failing: { tone: 'bad', glyph: 'cross', label: 'Failing' },
  unverified: { tone: 'warn', glyph: 'triangle', label: 'Not confirmed' },
  disabled: { tone: 'quiet', glyph: 'bars', label: 'Disabled' },
} satisfies Record<Channel['state'] | 'disabled', LabelledPresentation>;
const notices = {
  open: { tone: 'warn', glyph: 'triangle', label: 'Open' },
  closed: { tone: 'quiet', glyph: 'check', label: 'Closed' },
} satisfies Record<Notice['state'], LabelledPresentation>;

const planned = {
  maintenance: { ...maintenancePresentation, label: 'In maintenance' },
  held: { ...maintenancePresentation, label: 'Held' },
} satisfies Record<string, LabelledPresentation>;

const presentations = {
  verdicts: withWords(verdictPresentations, verdictWords),
  votes: withWords(votePresentations, voteWords),
  checks,
  alerts: withWords(alertStatePresentations, alertStateWords),
  'alert kinds': withWords(alertKindPresentations, alertKindWords),
  planned,
  incidents: withWords(incidentStatePresentations, stateWords),
  components: withWords(statusPresentations, statusWords),
  deliveries,
  maintenances,
  channels,
  notices,
  severities: withWords(severityPresentations, severityWords),
};
type Presentations = typeof presentations;

/** Shape, tone and label of a state. One that a newer server added is shown by its own name, never as good. */
export function presentation<Kind extends keyof Presentations>(
  kind: Kind,
  state: keyof Presentations[Kind] & string,
): LabelledPresentation {
  const states: Readonly<Record<string, LabelledPresentation>> = presentations[kind];
  return states[state] ?? { tone: 'unknown', glyph: 'question', label: state.replaceAll('_', ' ') };
}

/** The status of a monitor. In maintenance no status alarms: people planned it. */
export function monitorPresentation({
  status,
  maintenance,
}: Pick<Monitor, 'status' | 'maintenance'>): LabelledPresentation {
  const state = presentation('verdicts', status);
  return maintenance === null || state.tone === 'good' ? state : { ...state, tone: maintenancePresentation.tone };
}

/** The state of an alert: an open one that is held woke nobody, and one of slowness is no outage. */
export function alertPresentation({ kind, state, held }: Pick<Alert, 'kind' | 'state' | 'held'>): LabelledPresentation {
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
  'page_domain.failing': 'Domains not proven',
} satisfies Record<Notice['kind'], string>;
/** The severities by their short names. */
export const severityNames = choicesOf('severities');
/** The same for filters. */
export const severityFilterChoices: Choices = [['', 'all'], ...choicesOf('severities')];

function choicesOf<Kind extends keyof Presentations>(kind: Kind): [keyof Presentations[Kind] & string, string][] {
  const states: Readonly<Record<string, LabelledPresentation>> = presentations[kind];
  return Object.entries(states).map(([state, { label }]) => [state as keyof Presentations[Kind] & string, label]);
}

function isSettable(status: ShownStatus): status is ComponentStatus {
  return status !== 'unknown';
}

function withWords<State extends string>(
  shown: Readonly<Record<State, Presentation>>,
  words: Readonly<Record<State, string>>,
): Readonly<Record<State, LabelledPresentation>> {
  const states = Object.keys(shown) as State[];
  return Object.fromEntries(states.map(state => [state, { ...shown[state], label: words[state] }])) as Record<
    State,
    LabelledPresentation
  >;
}
