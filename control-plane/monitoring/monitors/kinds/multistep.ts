import type { Capability } from '#shared/capabilities.ts';
import type { Step } from '#shared/checks/steps.ts';
import { withAuthorization } from '../auth/auth.ts';
import { oauth2Of } from '../auth/oauth2.ts';
import type { Kind } from './kind.ts';
import { stepErrors } from './step-errors.ts';
import { type MultistepSettings, multistepSchema, type StepSettings } from './steps.ts';

export const multistep: Kind<MultistepSettings> = {
  kind: 'multistep',
  schemes: [],
  own: multistepSchema,
  intervalMin: 30,
  intervalMax: 86_400,
  withoutAgents: null,
  assertions: [],
  hasCertificate: true,
  egress: 'steps',
  takesAuth: false,
  takesHttpVersion: true,
  encodedUrl: url => url,
  urlError: () => 'must be left out: each step has one',
  urlOf: ({ steps }) => steps[0]?.url ?? '',
  // It was valid when it was stored: to compile all patterns again would take milliseconds for each row.
  read: stored => stored as MultistepSettings,
  errors: ({ own, timeout_ms, interval_seconds, assertions }) => {
    const byDefault = interval_seconds === undefined ? undefined : Math.min(30_000, interval_seconds * 1000);
    return own === undefined
      ? []
      : stepErrors(own.steps, assertions?.length ?? 0, (timeout_ms === null ? byDefault : timeout_ms) ?? null);
  },
  needs: ({ own: { steps } }) => [
    'multistep',
    ...steps.flatMap(({ auth }): Capability[] => {
      if (auth === null) return [];
      return auth.type === 'oauth2' ? ['gateway.4', 'auth.oauth2', 'auth.steps'] : ['gateway.4'];
    }),
  ],
  check: ({ own: { steps } }) => ({ kind: 'multistep', steps: steps.map(sentStep) }),
};

/** Agents get a password or a token as a header, and client credentials as they are. */
function sentStep({ auth, ...step }: StepSettings): Step {
  const oauth2 = oauth2Of(auth);
  const headers = withAuthorization(step.headers, auth);
  return { ...step, headers, ...(oauth2 === null ? {} : { auth: oauth2 }) };
}
