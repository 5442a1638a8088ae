import type { Step } from '#shared/checks/steps.ts';
import { referencesIn, render } from '#shared/checks/templates.ts';
import type { SentRequest } from '../../redact-secrets.ts';

/** Characters that all requests of a run may have together, so that values cannot make them grow without end. */
export const sentLengthMax = 262_144;

export type Values = ReadonlyMap<string, string>;

export type Rendered = SentRequest & { body: string | null };

/** Whether a step refers to a value that was not found. */
export function lacksValue(step: Step, values: Values): boolean {
  return textsOf(step).some(text => referencesIn(text).some(({ name }) => !values.has(name)));
}

/** The request with all values in their places; a sentence if there can be no such request. */
export function renderStep({ url, headers, body }: Step, values: Values): Rendered | string {
  const valueFor = (name: string) => values.get(name) ?? '';
  const rendered = {
    url: render(url, valueFor, { isUrl: true }),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, render(value, valueFor)])),
    body: body === null ? null : render(body, valueFor),
  };
  const wrong = Object.entries(rendered.headers).find(([, value]) => !/^[\t\x20-\x7e\x80-\xff]*$/.test(value));
  if (wrong !== undefined) return `a value has characters that the header ${wrong[0]} cannot have`.slice(0, 200);
  return rendered;
}

export function lengthOfRequest({ url, headers, body }: Rendered): number {
  return textsOf({ url, headers, body }).reduce((sum, text) => sum + text.length, 0);
}

function textsOf({ url, headers, body }: Pick<Step, 'url' | 'headers' | 'body'>): string[] {
  return [url, ...Object.values(headers), body ?? ''];
}
