import { referencesIn as templatesIn } from '#shared/checks/templates.ts';
import type { ValidFields } from '../../../platform/http/bodies/parse-body.ts';
import { pointerTo } from '../../../platform/http/bodies/unknown-fields.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import { withAuthorization } from '../auth/auth.ts';
import { oauth2Of } from '../auth/oauth2.ts';
import { wireEgressOf } from '../egress/egress.ts';
import type { MonitorSettings } from '../monitor.ts';
import { allowsHost, hostOf } from './host-patterns.ts';
import type { Place } from './places.ts';
import type { ProjectSecret } from './project-secrets-store.ts';
import { referencesIn, replaceReferences } from './references.ts';
import { namesOf, referringPlaces, withValues } from './uses.ts';

type Settings = ValidFields<MonitorSettings>;

/** What agents get of a monitor at most, with the values of secrets. */
const assignmentBytesMax = 262_144;
/** Its numbers and names. */
const otherBytes = 1024;

/** Pure: what is wrong with the references in these fields, and with the texts once the values stand in them. */
export function referenceErrors(
  settings: Settings,
  fields: readonly string[],
  secrets: ReadonlyMap<string, ProjectSecret>,
): FieldError[] {
  const places = referringPlaces(settings, fields);
  if (places.length === 0) return [];
  const errors = places.flatMap(place => placeError(place, readersOf(place, settings.egress), secrets) ?? []);
  if (errors.length > 0) return errors;
  const values = new Map([...secrets].map(([name, { value }]) => [name, value]));
  const used = namesOf(settings, fields).flatMap(name => values.get(name) ?? []);
  const bytes = sentBytes(withValues(settings, fields, values), used);
  if (bytes <= assignmentBytesMax) return [];
  const detail = `must not exceed ${assignmentBytesMax} bytes with the values of its secrets`;
  return [{ pointer: '', code: 'too_long', detail }];
}

/** Pure: references where everybody would see them, in what a body gives: in URLs and assertions. */
export function shownReferenceErrors(given: unknown, path: readonly (string | number)[] = []): FieldError[] {
  if (typeof given === 'string') {
    const last = path.at(-1);
    const isShown = last === 'url' || last === 'token_url' || path.includes('assertions');
    if (!isShown || !/(?:\{\{|%7b%7b)secret\./i.test(given)) return [];
    return [{ pointer: pointerTo(path), code: 'not_allowed', detail: 'must not contain secrets: it is shown' }];
  }
  if (typeof given !== 'object' || given === null) return [];
  const members: [string | number, unknown][] = Array.isArray(given) ? [...given.entries()] : Object.entries(given);
  return members.flatMap(([name, member]) => shownReferenceErrors(member, [...path, name]));
}

/** The URLs whose hosts see a text: where it is sent, and a proxy that can read what it passes on. */
function readersOf({ url, sentTo, isNeverSent }: Place, egress: Settings['egress']): string[] {
  const readers = url === undefined ? [] : [url];
  const proxy = egress?.proxy ?? null;
  if (proxy === null || sentTo === 'proxy' || isNeverSent || isPrivate(url ?? '', egress)) return readers;
  return [...readers, proxy.url];
}

/** Whether a proxy cannot read it: over TLS, to a target that proves the name in its URL to the usual authorities. */
function isPrivate(url: string, egress: Settings['egress']): boolean {
  const { verify = true, ca = null, server_name: otherName = null } = egress ?? {};
  return /^(?:https|wss|grpcs|tls):/i.test(url) && verify && ca === null && otherName === null;
}

function placeError(
  place: Place,
  readers: readonly string[],
  secrets: ReadonlyMap<string, ProjectSecret>,
): FieldError | null {
  const { pointer, text } = place;
  const refuse = (code: FieldError['code'], detail: string): FieldError => ({ pointer, code, detail });
  const { names, malformed } = referencesIn(text);
  if (malformed) return refuse('unknown_reference', 'must be {{secret.NAME}}, with |json or |url');
  const unknown = names.find(name => !secrets.has(name));
  if (unknown !== undefined) return refuse('unknown_reference', `${unknown} is not a secret of this project`);
  for (const reader of readers) {
    const host = hostOf(reader);
    const elsewhere = names.find(name => !allowsHost(secrets.get(name)?.hosts ?? null, host));
    if (elsewhere !== undefined)
      return refuse('not_allowed', `the secret ${elsewhere} must not be sent to ${host ?? 'an unknown host'}`);
  }
  const sent = replaceReferences(text, name => secrets.get(name)?.value);
  const fault = isTemplate(place) && !hasSameTemplates(text, sent) ? templateFault : place.rule(sent);
  return fault === null ? null : refuse(fault.code, `with the values of its secrets: ${fault.detail}`);
}

const templateFault = { code: 'format', detail: 'must not form references to values of other steps' } as const;

/** Agents put the values of earlier steps into these texts. Of `auth` only a token is sent as it is written. */
function isTemplate({ path }: Place): boolean {
  return path[0] === 'multistep' && (path[3] !== 'auth' || path[4] === 'token');
}

function hasSameTemplates(text: string, sent: string): boolean {
  const named = (of: string) => templatesIn(of).flatMap(({ name, text: whole }) => (isSecret(name) ? [] : whole));
  return JSON.stringify(named(text)) === JSON.stringify(templatesIn(sent).map(({ text: whole }) => whole));
}

function isSecret(name: string): boolean {
  return name.startsWith('secret.');
}

/** About what the assignment takes: the settings that agents get. */
function sentBytes(settings: Settings, values: readonly string[]): number {
  const { egress, auth, ...others } = settings;
  const headers = withAuthorization({}, auth);
  const sent = {
    ...others,
    headers: [others.headers, headers],
    auth: oauth2Of(auth),
    egress: wireEgressOf(egress ?? null),
    secrets: values,
  };
  return otherBytes + Buffer.byteLength(JSON.stringify(sent));
}
