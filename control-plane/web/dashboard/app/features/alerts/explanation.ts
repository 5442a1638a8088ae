import type { Schemas } from '#control-plane/web/api-client/client.ts';

type Explanation = Schemas['AlertExplanation'];
type Clock = Explanation['clock'];

const names = {
  last_good: 'Last good check ended',
  failing: 'First failed check started',
  failed: 'It failed',
  reported: 'The failure was reported',
  confirm_asked: 'Other regions were asked',
  quorum: 'The quorum was reached',
  opens: 'The alert opened',
  told: 'A message was queued',
  sent: 'The first message was sent',
} as const;
type Step = { name: string; at: string; afterMs: number | null };

/** The instants of an alert's detection in their order, each with the time since the one before it. */
export function clockSteps(clock: Clock): Step[] {
  const named = (Object.keys(names) as (keyof typeof names)[]).flatMap(key => {
    const at = clock[key];
    const votes = key === 'quorum' ? clock.confirmed : [];
    const confirmed = votes.map(({ region, at: since }) => ({ name: `${region} voted down`, at: since }));
    return at === null ? confirmed : [...confirmed, { name: names[key] as string, at }];
  });
  // Those of one instant stay in the order of their names.
  const ordered = named.sort((left, right) => Date.parse(left.at) - Date.parse(right.at));
  return ordered.map((step, index) => {
    const before = ordered[index - 1];
    return { ...step, afterMs: before === undefined ? null : Date.parse(step.at) - Date.parse(before.at) };
  });
}

/** `Had eu-west voted up, it would have been up.` for the first few. */
export function describeFlips(flips: Explanation['flips']): string {
  const shown = flips.slice(0, 3);
  return shown
    .map(({ region, vote, verdict }) => `If ${region} had voted ${vote}, the monitor would have been ${verdict}.`)
    .join(' ');
}
