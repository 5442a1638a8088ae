import type { MultistepSettings, StepSettings } from '../kinds/steps.ts';

type StepSecrets = Pick<StepSettings, 'headers' | 'body'>;

/** The headers and bodies of all steps as one text, to be sealed. */
export function secretTextOf({ steps }: MultistepSettings): string {
  return JSON.stringify(steps.map(({ headers, body }): StepSecrets => ({ headers, body })));
}

/** What is stored beside that text. */
export function withoutStepSecrets({ steps }: MultistepSettings): MultistepSettings {
  return { steps: steps.map(step => ({ ...step, headers: {}, body: null })) };
}

/** Both together again. */
export function withStepSecrets({ steps }: MultistepSettings, text: string | null): MultistepSettings {
  const secrets = JSON.parse(text ?? '[]') as StepSecrets[];
  return { steps: steps.map((step, index) => ({ ...step, ...secrets[index] })) };
}
