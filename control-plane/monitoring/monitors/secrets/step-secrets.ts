import type { MultistepSettings, StepSettings } from '../kinds/steps.ts';

type StepSecrets = Pick<StepSettings, 'headers' | 'body'>;

/** The headers and bodies of all steps as one text, to be sealed. */
export function secretTextOf({ steps }: MultistepSettings): string {
  return JSON.stringify(steps.map(({ headers, body }): StepSecrets => ({ headers, body })));
}

/** How steps sign in, as one text, to be sealed; null if none does. */
export function stepAuthTextOf({ steps }: MultistepSettings): string | null {
  return steps.some(({ auth }) => auth !== null) ? JSON.stringify(steps.map(({ auth }) => auth)) : null;
}

/** What is stored beside these texts. */
export function withoutStepSecrets({ steps }: MultistepSettings): object {
  return { steps: steps.map(({ auth: _auth, ...step }) => ({ ...step, headers: {}, body: null })) };
}

/** All together again. */
export function withStepSecrets(
  { steps }: MultistepSettings,
  text: string | null,
  authText: string | null,
): MultistepSettings {
  const secrets = JSON.parse(text ?? '[]') as StepSecrets[];
  const auths = JSON.parse(authText ?? '[]') as StepSettings['auth'][];
  return { steps: steps.map((step, index) => ({ ...step, ...secrets[index], auth: auths[index] ?? null })) };
}
