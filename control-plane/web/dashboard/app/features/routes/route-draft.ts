import { typedNumber, typedNumberOrNull } from '../../kit/form/typed-number.ts';
import { plural } from '../../kit/plural.ts';
import type { Notice, Route, RoutePost } from '../../session/api-types.ts';

type Severity = Route['match']['severities'][number];
type QuietHours = NonNullable<Route['quiet_hours']>;
export type StepDraft = { after: string; channelIds: readonly string[] };
/** A route while it is edited: numbers as they stand in the fields. */
export type RouteDraft = {
  name: string;
  enabled: boolean;
  selector: string;
  severities: readonly Severity[];
  kinds: Route['match']['kinds'];
  notices: readonly Notice['kind'][];
  steps: readonly StepDraft[];
  remind: string;
  goesOn: boolean;
  quiet: QuietHours | null;
};

export const newRoute: RouteDraft = {
  name: '',
  enabled: true,
  selector: '',
  severities: [],
  kinds: [],
  notices: [],
  steps: [{ after: '0', channelIds: [] }],
  remind: '',
  goesOn: false,
  quiet: null,
};

export const weekdays: readonly (readonly [QuietHours['days'][number], string])[] = [
  ['mo', 'Mon'],
  ['tu', 'Tue'],
  ['we', 'Wed'],
  ['th', 'Thu'],
  ['fr', 'Fri'],
  ['sa', 'Sat'],
  ['su', 'Sun'],
];

/** Quiet hours as they are first offered. */
export function newQuietHours(timezone: string): QuietHours {
  return { timezone, days: weekdays.map(([day]) => day), from: '22:00', to: '07:00', except_severities: ['p1'] };
}

export function draftOfRoute(route: Route): RouteDraft {
  const { name, enabled, match, steps, remind_every_minutes: remind } = route;
  return {
    name,
    enabled,
    selector: match.selector ?? '',
    severities: match.severities,
    kinds: match.kinds,
    notices: match.notices,
    steps: steps.map(step => ({ after: String(step.after_minutes), channelIds: step.channel_ids })),
    remind: remind === null ? '' : String(remind),
    goesOn: route.continue,
    quiet: route.quiet_hours,
  };
}

/** The body of POST; `routeChanges` makes that of PATCH from two of them. */
export function routeBody(draft: RouteDraft): RoutePost {
  return {
    name: draft.name.trim(),
    enabled: draft.enabled,
    match: {
      selector: draft.selector.trim() === '' ? null : draft.selector.trim(),
      severities: [...draft.severities],
      kinds: [...draft.kinds],
      notices: [...draft.notices],
    },
    continue: draft.goesOn,
    steps: draft.steps.map(({ after, channelIds }) => ({
      after_minutes: typedNumber(after),
      channel_ids: [...channelIds],
    })),
    remind_every_minutes: typedNumberOrNull(draft.remind),
    quiet_hours: draft.quiet,
  };
}

export function routeChanges(before: RouteDraft, after: RouteDraft): Partial<RoutePost> {
  const [old, now] = [routeBody(before), routeBody(after)];
  const names = Object.keys(now) as (keyof RoutePost)[];
  const changed = names.filter(name => JSON.stringify(old[name]) !== JSON.stringify(now[name]));
  return Object.fromEntries(changed.map(name => [name, now[name]]));
}

/** `env=prod · P1, P2 · down`, or `Every alert`. */
export function describeMatch({ selector, severities, kinds, notices }: Route['match']): string {
  const parts = [
    selector ?? '',
    severities.map(severity => severity.toUpperCase()).join(', '),
    kinds.join(', '),
    selector === null && notices.length > 0 ? plural(notices.length, 'kind of notice', 'kinds of notices') : '',
  ].filter(Boolean);
  const isOpen = (selector === null || selector === '*') && severities.length === 0 && kinds.length === 0;
  return isOpen ? ['Every alert', ...parts.filter(part => part !== '*')].join(' · ') : parts.join(' · ');
}

/** `Quiet Mon–Fri 22:00–07:00 Europe/Berlin, except P1`. */
export function describeQuiet({ days, from, to, timezone, except_severities }: QuietHours): string {
  const span = from === to ? 'all day' : `${from}–${to}`;
  const except = except_severities.length === 0 ? '' : `, except ${except_severities.join(', ').toUpperCase()}`;
  return `Quiet ${describeDays(days)} ${span} ${timezone}${except}`;
}

function describeDays(days: QuietHours['days']): string {
  const chosen = weekdays.flatMap(([day], index) => (days.includes(day) ? [index] : []));
  const label = (index: number | undefined) => weekdays[index ?? 0]?.[1] ?? '';
  if (chosen.length === 7) return 'every day';
  const isRow = chosen.length > 2 && chosen.every((day, index) => day === (chosen[0] ?? 0) + index);
  return isRow ? `${label(chosen[0])}–${label(chosen.at(-1))}` : chosen.map(label).join(', ');
}

/** The ids with one of them moved by some places; unchanged at either end. */
export function moved(ids: readonly string[], id: string, to: number): readonly string[] {
  const rest = ids.filter(each => each !== id);
  const at = Math.min(rest.length, Math.max(0, to));
  return rest.length === ids.length ? ids : [...rest.slice(0, at), id, ...rest.slice(at)];
}
