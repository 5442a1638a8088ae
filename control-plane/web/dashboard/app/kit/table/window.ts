import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { visibleRows } from './visible-rows.ts';

/** Rows that may be added to the end of the list before it is measured again. */
const added = 12;

/**
 * The rows of a long list that are near the visible part of the page. The style sheet sets their height as
 * `--row-height`, so that it can differ between a phone and a desk.
 */
export function useWindow(count: number) {
  const host = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState({ first: 0, last: Math.min(count, 40), rowHeight: 56 });
  const measure = (): void => {
    if (host.current === null) return;
    const rowHeight = Number.parseFloat(getComputedStyle(host.current).getPropertyValue('--row-height')) || 56;
    const top = host.current.getBoundingClientRect().top;
    const { first, last } = visibleRows({ top, height: innerHeight, rowHeight, count });
    // Rows that a refresh adds push the last ones down: removed for a moment, they would lose the focus.
    const next = { first, last: last === count ? count + added : last, rowHeight };
    setShown(before =>
      before.first === next.first && before.last === next.last && before.rowHeight === rowHeight ? before : next,
    );
  };
  useLayoutEffect(measure, [count]);
  useEffect(() => {
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [count]);
  return { host, ...shown };
}
