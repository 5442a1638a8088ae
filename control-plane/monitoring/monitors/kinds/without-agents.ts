import type { MonitorKind } from '#shared/checks/vocabulary.ts';
import type { ValidFields } from '../../../platform/http/bodies/parse-body.ts';
import { type FieldError, Problem } from '../../../platform/http/problem.ts';
import type { MonitorSettings } from '../monitor.ts';
import { kindOf } from './kinds.ts';

/** Throws `wrong_kind` for a monitor that no agent checks. */
export function requireAgents(name: MonitorKind): void {
  if (kindOf(name).withoutAgents === null) return;
  throw new Problem('wrong_kind', { detail: `no agent checks monitors of kind ${name}` });
}

/** Pure: what settings lack that agents check, or have too much that no agent checks. */
export function agentErrors(name: MonitorKind, settings: ValidFields<MonitorSettings>): FieldError[] {
  const { url, regions, quorum, timeout_ms: timeoutMs, interval_seconds: interval } = settings;
  const { withoutAgents, urlOf } = kindOf(name);
  const required = (pointer: string): FieldError => ({ pointer, code: 'required', detail: 'is required' });
  // Of fields that are wrong by themselves the name is there, with undefined.
  const isMissing = (name: keyof MonitorSettings) => !Object.hasOwn(settings, name);
  if (withoutAgents === null)
    return [
      ...(urlOf === undefined && (isMissing('url') || url === '') ? [required('/url')] : []),
      ...(isMissing('interval_seconds') ? [required('/interval_seconds')] : []),
      ...(isMissing('regions') ? [required('/regions')] : []),
      ...(regions?.length === 0
        ? [{ pointer: '/regions', code: 'too_short' as const, detail: 'must not be empty' }]
        : []),
    ];
  const refused = (pointer: string, isSent: boolean): FieldError[] => {
    const detail = `is not taken: no agent checks monitors of kind ${name}`;
    return isSent ? [{ pointer, code: 'not_allowed', detail }] : [];
  };
  const { takesUrl, intervalSeconds: fixed } = withoutAgents;
  return [
    ...(takesUrl && (isMissing('url') || url === '') ? [required('/url')] : []),
    ...refused('/url', !takesUrl && urlOf === undefined && url !== undefined && url !== ''),
    ...refused('/regions', (regions?.length ?? 0) > 0),
    ...refused('/quorum', quorum != null),
    ...refused('/timeout_ms', timeoutMs != null),
    ...(fixed !== null && interval !== undefined && interval !== fixed
      ? [{ pointer: '/interval_seconds', code: 'not_allowed' as const, detail: `is always ${fixed}` }]
      : []),
  ];
}
