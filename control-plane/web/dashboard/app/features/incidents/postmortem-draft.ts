import { impactWords, stateWords } from '#control-plane/platform/design/labels.ts';
import type { Incident } from '../../session/api-types.ts';
import { formatLongDuration } from '../../session/time.ts';
import { joinNames } from './update-templates.ts';

const excerptMax = 280;

/** A post-mortem to go on with: what is known stands there, what only people know is asked for. */
export function draftPostmortem(incident: Incident, components: readonly string[], users: string | null): string {
  const { impact, started_at, resolved_at, updates } = incident;
  const duration = resolved_at === null ? null : formatLongDuration(Date.parse(resolved_at) - Date.parse(started_at));
  const affected = components.length === 0 ? '' : ` It affected ${joinNames(components)}.`;
  const end = resolved_at === null ? 'It is not resolved yet.' : `It lasted ${duration}, until ${utc(resolved_at)}.`;
  const lines = updates.map(
    ({ posted_at, state, body }) => `- **${utc(posted_at)}** ${stateWords[state]}: ${excerpt(body)}`,
  );
  return [
    '## Summary',
    '',
    `The incident began at ${utc(started_at)}. ${end}${affected}`,
    '',
    '## Impact',
    '',
    `${impactWords[impact]}. ${users ?? 'How many users noticed, and what did they see?'}`,
    '',
    '## Timeline',
    '',
    `- **${utc(started_at)}** The incident began.`,
    ...lines,
    '',
    '## Root cause',
    '',
    'What failed, and why did it fail now?',
    '',
    '## What went well, and what did not',
    '',
    '- …',
    '',
    '## What we are changing',
    '',
    '- …',
    '',
  ].join('\n');
}

function utc(timestamp: string): string {
  return `${timestamp.slice(0, 16).replace('T', ' ')} UTC`;
}

/** The first paragraph in one line, shortened at a word. */
function excerpt(body: string): string {
  const line = (body.trim().split(/\n\s*\n/)[0] ?? '').replaceAll(/\s+/g, ' ');
  if (line.length <= excerptMax) return line;
  return `${line.slice(0, excerptMax).replace(/\s+\S*$/, '')} …`;
}
