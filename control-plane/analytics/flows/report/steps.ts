import type { FlowVersion } from '../flow.ts';
import type { StepView } from './schema.ts';

/** Ratios of zero users are null. An estimate never shows more users at a step than at the previous one. */
export function stepsOf(version: FlowVersion, counts: readonly number[] = []): StepView[] {
  let previous: number | null = null;
  let first = 0;
  return version.steps.map((step, index) => {
    const users: number = Math.min(counts[index] ?? 0, previous ?? Number.POSITIVE_INFINITY);
    if (index === 0) first = users;
    const view = {
      step: index + 1,
      name: step.name ?? step.event,
      users,
      from_first: first === 0 ? null : users / first,
      from_previous: index === 0 || previous === 0 ? null : users / (previous ?? 1),
    };
    previous = users;
    return view;
  });
}
