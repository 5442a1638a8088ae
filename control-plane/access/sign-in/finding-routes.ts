import { z } from 'zod';
import { type Endpoint, stepEndpoint } from '../../platform/http/endpoint/endpoint.ts';
import type { SignInSettings } from '../oidc/settings.ts';
import { signInFindings } from './findings.ts';

const findingSchema = z
  .object({
    name: z.string(),
    status: z.enum(['ok', 'warn', 'fail']),
    detail: z.string(),
    advice: z.string().nullable(),
  })
  .meta({ title: 'Finding' });

/** What `doctor` says of signing in, for those who run the installation. */
export function findingEndpoints({
  signIn,
  baseUrl,
}: {
  signIn: SignInSettings;
  baseUrl: string;
}): readonly Endpoint[] {
  return [
    stepEndpoint({
      method: 'get',
      path: '/v0/installation/sign-in',
      summary: 'Check how people sign in, as the command `doctor` does',
      operation: 'checkSignIn',
      tag: 'People',
      scope: null,
      peopleOnly: true,
      operatorOnly: true,
      anywhere: true,
      pool: 'people',
      answers: { 200: z.object({ data: z.array(findingSchema) }) },
      // The provider takes its time, and no connection to the database waits for it.
      handle: async ({ transact }) => {
        return { status: 200, body: { data: await signInFindings(signIn, baseUrl, transact) } };
      },
    }),
  ];
}
