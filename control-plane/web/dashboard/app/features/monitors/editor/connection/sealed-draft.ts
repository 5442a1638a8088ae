import { mask } from '../../../../kit/form/mask.ts';
import type { MonitorDraft } from '../monitor-draft.ts';

/** A monitor that is made from another has none of its stored secrets. */
export function withoutMasks<Value>(value: Value): Value {
  const unmasked = (name: string, member: unknown) => (member === mask || name === 'sealedFor' ? '' : member);
  return JSON.parse(JSON.stringify(value, unmasked));
}

/** What of a draft may stay in the tab's storage: no secret that was typed, and which ones are set. */
export function withoutSecrets(start: MonitorDraft): (draft: MonitorDraft) => MonitorDraft {
  const { authSecret, clientKey, proxyPassword } = start;
  return draft => ({
    ...draft,
    authSecret,
    clientKey,
    proxyPassword,
    steps: draft.steps.map(step => ({ ...step, authSecret: step.sealedFor === '' ? '' : mask })),
  });
}
