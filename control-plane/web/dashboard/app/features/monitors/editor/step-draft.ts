import type { Monitor } from '../../../session/api-types.ts';
import { type AssertionDraft, assertionBody, assertionsOf, draftAssertion } from './assertion-draft.ts';
import { type AuthDraft, authBody, draftOfAuth, noAuth } from './connection/auth-draft.ts';

type Step = NonNullable<Monitor['multistep']>['steps'][number];
type Extract = Step['extract'][number];

/** A value that is taken from an answer: `from` and where it is there. */
export type ExtractDraft = { name: string; from: Extract['from']; where: string };

/** A step while it is edited: texts as they stand in the fields. */
export type StepDraft = AuthDraft & {
  name: string;
  url: string;
  method: Step['method'];
  headers: readonly (readonly [name: string, value: string])[];
  body: string;
  followRedirects: boolean;
  assertions: readonly AssertionDraft[];
  extract: readonly ExtractDraft[];
  always: boolean;
  timeout: string;
};

export const emptyStep: StepDraft = {
  ...noAuth,
  name: '',
  url: '',
  method: 'GET',
  headers: [],
  body: '',
  followRedirects: true,
  assertions: [],
  extract: [],
  always: false,
  timeout: '',
};

export const emptyExtract: ExtractDraft = { name: '', from: 'json_path', where: '' };

/** The member of the API that says where a value is. */
const members = { json_path: 'path', header: 'header', regex: 'pattern' } as const;

export function draftOfStep(step: Step): StepDraft {
  return {
    ...draftOfAuth(step.auth),
    name: step.name,
    url: step.url,
    method: step.method,
    headers: Object.entries(step.headers),
    body: step.body ?? '',
    followRedirects: step.follow_redirects,
    assertions: assertionsOf(step).map(draftAssertion),
    extract: step.extract.map(one => ({ name: one.name, from: one.from, where: one[members[one.from]] ?? '' })),
    always: step.always,
    timeout: step.timeout_ms === null ? '' : String(step.timeout_ms),
  };
}

/** A step as the API takes it. What does not parse goes as it is written. */
export function stepBody(step: StepDraft): Record<string, unknown> {
  return {
    name: step.name.trim(),
    url: step.url.trim(),
    method: step.method,
    headers: Object.fromEntries(step.headers.filter(([name]) => name.trim() !== '')),
    body: step.body === '' ? null : step.body,
    follow_redirects: step.followRedirects,
    auth: authBody(step),
    assertions: step.assertions.map(assertionBody),
    extract: step.extract.map(({ name, from, where }) => ({ name: name.trim(), from, [members[from]]: where })),
    always: step.always,
    timeout_ms: step.timeout.trim() === '' ? null : Number(step.timeout) || step.timeout,
  };
}

/** The list with an item moved by one place, if there is one. */
export function moved<Item>(list: readonly Item[], index: number, by: -1 | 1): readonly Item[] {
  const [item, other] = [list[index], list[index + by]];
  if (item === undefined || other === undefined) return list;
  return list.with(index, other).with(index + by, item);
}
