import type { z } from 'zod';

/** What a stub of a service takes, as the service documents it; a field that it does not know is refused. */
export type Service = {
  method: 'POST' | 'PUT';
  path: RegExp;
  takes: z.ZodType;
  headers?: Readonly<Record<string, RegExp>>;
  answer: readonly [status: number, body: string];
};

/** A stub, a configuration for it at `base`, and how it shows the name of `a name is shown as it is written`. */
export type Stub = { config(base: string): Record<string, unknown>; service: Service; shown: readonly string[] };

/** The body of a request: JSON, or the fields of a form. */
export function readBody(headers: Readonly<Record<string, unknown>>, body: string): unknown {
  const isForm = String(headers['content-type']).startsWith('application/x-www-form-urlencoded');
  return isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body);
}
