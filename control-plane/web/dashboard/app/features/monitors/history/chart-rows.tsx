import type { ComponentChildren } from 'preact';

/** The width of drawings over the shown time, in units of their own. */
export const drawingWidth = 1000;
const leastWidth = 1.5;
const round = (share: number) => Math.round(share * drawingWidth * 10) / 10;

/** Where a stretch is in a drawing: one that is short can still be seen. */
export function across({ left, width }: { left: number; width: number }): { x: number; width: number } {
  return { x: round(left), width: Math.max(leastWidth, round(width)) };
}

/** A strip over the shown time behind the name of its region; `label` says what it shows. */
export function ChartRow({ region, label, children }: { region: string; label: string; children: ComponentChildren }) {
  return (
    <li>
      <span class="chart-row-name">{region}</span>
      <svg
        class="chart-strip"
        viewBox={`0 0 ${drawingWidth} 12`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {children}
      </svg>
    </li>
  );
}
