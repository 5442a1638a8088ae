import { sparkPath } from './spark-path.ts';

const size = { width: 72, height: 20 };

/** The course of a figure in a table; its text says the figure itself. */
export function Sparkline({ values }: { values: readonly (number | null)[] }) {
  const path = sparkPath(values, size);
  if (path === '') return null;
  return (
    <svg class="spark" viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
