import { domainToASCII } from 'node:url';
import { z } from 'zod';
import type { DomainFacts } from '#shared/checks/facts.ts';
import { domainTextMax, statusesMax, statusTextMax } from '#shared/checks/facts.ts';
import { toTimestamp } from '#shared/clock.ts';
import { parseJson } from './bootstrap.ts';

// Registries differ in what they leave out: only what is read here must have its form, and none of it must be there.
const answerSchema = z.object({
  objectClassName: z.literal('domain').optional(),
  ldhName: z.string().max(512).optional().catch(undefined),
  status: z.array(z.unknown()).max(200).optional().catch(undefined),
  events: z
    .array(z.object({ eventAction: z.string(), eventDate: z.string().max(64) }).or(z.unknown().transform(() => null)))
    .max(200)
    .optional()
    .catch(undefined),
  entities: z
    .array(
      z
        .object({ roles: z.array(z.unknown()).max(50), vcardArray: z.unknown(), handle: z.unknown() })
        .or(z.unknown().transform(() => null)),
    )
    .max(200)
    .optional()
    .catch(undefined),
});
type Answer = z.output<typeof answerSchema>;

/** What a registry says of a name (RFC 9083); null if it is no answer about this name. */
export function readAnswer(text: string, name: string, server: string): DomainFacts | null {
  const parsed = answerSchema.safeParse(parseJson(text));
  if (!parsed.success) return null;
  const { objectClassName, ldhName, status = [], events = [] } = parsed.data;
  if (objectClassName === undefined && ldhName === undefined) return null;
  if (ldhName !== undefined && domainToASCII(ldhName.replace(/\.$/, '')) !== name) return null;
  const when = (action: string) => instantOf(events.find(event => event?.eventAction.toLowerCase() === action));
  const statuses = status.flatMap(one => lineOf(one, statusTextMax)?.toLowerCase() ?? []);
  return {
    name,
    registrar: registrarOf(parsed.data),
    statuses: keptStatuses(statuses),
    ends_at: when('expiration'),
    registered_at: when('registration'),
    server,
  };
}

/** Statuses that say that a registration has ended. */
export const endedStatuses = ['redemption period', 'pending delete'];

/** Sorted. Those that decide are never among what is cut. */
function keptStatuses(statuses: readonly string[]): string[] {
  const others = statuses.filter(status => !endedStatuses.includes(status));
  const decisive = endedStatuses.filter(status => statuses.includes(status));
  return [...decisive, ...new Set(others.sort())].slice(0, statusesMax).sort();
}

function instantOf(event: { eventDate: string } | null | undefined): string | null {
  const ms = event == null ? Number.NaN : Date.parse(event.eventDate);
  return Number.isFinite(ms) && ms > 0 && ms < 253_402_300_800_000 ? toTimestamp(ms) : null;
}

/** The name on the registrar's card, else its handle. */
function registrarOf({ entities = [] }: Answer): string | null {
  const registrar = entities.find(entity => entity?.roles.includes('registrar'));
  if (registrar == null) return null;
  return lineOf(nameOnCard(registrar.vcardArray), domainTextMax) ?? lineOf(registrar.handle, domainTextMax);
}

/** jCard (RFC 7095): ["vcard", [[name, parameters, type, value], …]]. */
function nameOnCard(card: unknown): unknown {
  const properties: unknown = Array.isArray(card) ? card[1] : null;
  if (!Array.isArray(properties)) return null;
  const named = (word: string) => properties.find(one => Array.isArray(one) && one[0] === word)?.[3] as unknown;
  return named('fn') || named('org');
}

/** One line without control characters; null for what is no text. */
function lineOf(value: unknown, lengthMax: number): string | null {
  if (typeof value !== 'string') return null;
  const line = value
    .slice(0, 4 * lengthMax)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return line === '' ? null : line.toWellFormed().slice(0, lengthMax).toWellFormed();
}
