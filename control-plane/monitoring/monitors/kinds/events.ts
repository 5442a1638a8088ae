import { z } from 'zod';
import { conditionSchema } from '../../../platform/conditions/condition.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import type { Kind, KindSettings } from './kind.ts';

const daySeconds = 86_400;
const bytesMax = 16_384;
const valuesMax = 1000;
const wholeMinutes = z
  .int()
  .min(60)
  .max(daySeconds)
  .refine(isWholeMinutes, {
    params: { code: 'out_of_range' },
    message: 'must be whole minutes',
  });

const eventsSchema = z
  .object({
    event: z
      .object({
        name: z.string().trim().min(1).max(200),
        type: z.enum(['track', 'error']).default('track'),
        where: z.array(conditionSchema).max(20).default([]),
      })
      .nullable()
      .default(null)
      .describe('Events that are counted; null for a flow.'),
    flow_id: z.string().max(40).nullable().default(null).describe('Flow that is counted; null for events.'),
    measure: z
      .enum(['count', 'users', 'conversion'])
      .nullable()
      .default(null)
      .describe('Of events `count` (default) or `users`; of a flow `conversion`: users of its last step by its first.'),
    window_seconds: wholeMinutes.default(900).describe('Length of the window, in whole minutes.'),
    within_seconds: z
      .int()
      .min(60)
      .max(daySeconds)
      .nullable()
      .default(null)
      .describe('Time that an entry of a flow is given; 3600 by default, null for events.'),
    against: z
      .enum(['week_before'])
      .nullable()
      .default(null)
      .describe('`week_before`: the value is divided by that of the same window 7 days earlier.'),
    min_sample: z
      .int()
      .min(0)
      .max(1_000_000)
      .nullable()
      .default(null)
      .describe(
        'Least number of entries of a flow, of events of the week before, else of events, for an opinion; by ' +
          'default 20, and 0 of events without `against`.',
      ),
    settle_seconds: z
      .int()
      .min(30)
      .max(900)
      .default(60)
      .describe('How long late events are waited for after the end of a window.'),
  })
  .meta({ title: 'EventsCheck' });
export type EventsSettings = z.output<typeof eventsSchema>;

/** Settings with what follows from the others. */
export type WholeEvents = EventsSettings & {
  measure: NonNullable<EventsSettings['measure']>;
  min_sample: number;
};

/** Pure: what is left out, as it is by default. */
export function wholeEvents(own: EventsSettings): WholeEvents {
  const isFlow = own.flow_id !== null;
  return {
    ...own,
    measure: own.measure ?? (isFlow ? 'conversion' : 'count'),
    within_seconds: isFlow ? (own.within_seconds ?? 3600) : own.within_seconds,
    min_sample: own.min_sample ?? (isFlow || own.against !== null ? 20 : 0),
  };
}

function isWholeMinutes(seconds: number): boolean {
  return seconds % 60 === 0;
}

function errorsOf({ own, interval_seconds: interval, assertions }: KindSettings<EventsSettings>): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (pointer: string, code: FieldError['code'], detail: string) => errors.push({ pointer, code, detail });
  if (interval !== undefined && !isWholeMinutes(interval))
    refuse('/interval_seconds', 'out_of_range', 'must be whole minutes');
  if (assertions !== undefined && !assertions.some(({ type }) => type === 'measured'))
    refuse('/assertions', 'required', 'must have one of type measured: the condition that holds when all is well');
  if (own === undefined) return errors;
  const { event, flow_id: flow, measure, within_seconds: within } = own;
  if ((event === null) === (flow === null)) {
    refuse('/events', 'required', 'must have either `event` or `flow_id`');
    return errors;
  }
  const fitting = flow === null ? ['count', 'users'] : ['conversion'];
  if (measure !== null && !fitting.includes(measure))
    refuse('/events/measure', 'not_allowed', `must be ${fitting.join(' or ')}`);
  if (flow === null && within !== null) refuse('/events/within_seconds', 'not_allowed', 'is of flows');
  if (flow !== null && interval !== undefined && interval < flowIntervalSeconds)
    refuse('/interval_seconds', 'out_of_range', `must be at least ${flowIntervalSeconds} for a flow`);
  const values = (event?.where ?? []).flatMap(({ value }) => value);
  if (values.length > valuesMax || Buffer.byteLength(JSON.stringify(own)) > bytesMax)
    refuse('/events', 'too_long', `must have at most ${valuesMax} values and ${bytesMax} bytes of JSON`);
  return errors;
}

const flowIntervalSeconds = 300;

export const events: Kind<EventsSettings> = {
  kind: 'events',
  schemes: [],
  own: eventsSchema,
  intervalMin: 60,
  intervalMax: 3600,
  withoutAgents: { voter: 'events', timeoutMs: 30_000, takesUrl: false, intervalSeconds: null },
  assertions: ['measured'],
  hasCertificate: false,
  egress: 'none',
  takesAuth: false,
  takesHttpVersion: false,
  encodedUrl: url => url,
  urlError: () => 'must be left out: events have none',
  urlOf: ({ event, flow_id }) => `events://${event === null ? flow_id : encodeURIComponent(event.name)}`,
  read: stored => stored as EventsSettings,
  completed: wholeEvents,
  intervalOf: ({ flow_id }) => (flow_id === null ? 60 : flowIntervalSeconds),
  errors: errorsOf,
  needs: () => [],
  check: () => null,
};
