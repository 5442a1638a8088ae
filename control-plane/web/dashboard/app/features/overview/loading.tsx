import { ProblemNote } from '../../kit/problem.tsx';
import type { Load } from '../../session/load.ts';

/** A card of the overview until its data is there, or why it is not. */
export function Loading({ title, load }: { title: string; load: Load<unknown> }) {
  const { error } = load.freshness;
  return (
    <section class="card">
      <h2>{title}</h2>
      {error === null ? <div class="bone" /> : <ProblemNote problem={error} retry={() => void load.refresh()} />}
    </section>
  );
}
