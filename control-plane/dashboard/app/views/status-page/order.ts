import { useEffect, useRef, useState } from 'preact/hooks';
import type { Component, StatusPage } from '../../data/api-types.ts';
import { drop, type Place, step } from '../../data/component-order.ts';
import { useAction } from '../../state/action.ts';
import { useApp } from '../../state/app.ts';

/** Steps that follow each other by keyboard are sent together. */
const settleMs = 700;

/** Moves components of a page. */
export type Order = {
  dragged: string | null;
  drag(id: string | null): void;
  /** Drops the dragged component beside another. */
  dropAt(target: string, side: 'before' | 'after'): void;
  move(id: string, name: string, direction: -1 | 1): void;
};

/** The order as it was changed here, until the server has it. */
export function useOrder(page: StatusPage, components: readonly Component[], refresh: () => Promise<void>) {
  const app = useApp();
  const action = useAction();
  const [changed, setChanged] = useState<readonly Place[] | null>(null);
  const [dragged, setDragged] = useState<string | null>(null);
  const moved = useRef<string | null>(null);
  const stored = components.map(({ id, group }) => ({ id, group }));
  const isSame = changed?.length === stored.length && changed.every(({ id }) => stored.some(place => place.id === id));
  const places = changed !== null && isSame ? changed : stored;
  /** Keys may be pressed faster than this is rendered. */
  const latest = useRef(places);
  latest.current = places;
  useEffect(() => {
    if (changed === null) return;
    const timer = setTimeout(() => {
      const body = { status_page_id: page.id, components: changed.map(place => ({ ...place })) };
      void action
        .run(async () => {
          await app.api.client.POST('/v0/components/order', { body });
          await refresh();
        })
        .then(() => setChanged(current => (current === changed ? null : current)));
    }, settleMs);
    return () => clearTimeout(timer);
  }, [changed]);
  useEffect(() => {
    // A row that comes into another group is made anew: its handle keeps the focus.
    if (moved.current !== null) document.getElementById(`handle-${moved.current}`)?.focus();
    moved.current = null;
  }, [changed]);
  const change = (next: readonly Place[]) => {
    if (next === latest.current) return;
    latest.current = next;
    setChanged(next);
  };
  return {
    places,
    problem: action.problem,
    dragged,
    drag: setDragged,
    dropAt: (target: string, side: 'before' | 'after') => {
      if (dragged !== null) change(drop(latest.current, dragged, target, side));
      setDragged(null);
    },
    move: (id: string, name: string, direction: -1 | 1) => {
      const next = step(latest.current, id, direction);
      if (next === latest.current) return;
      moved.current = id;
      const at = next.findIndex(place => place.id === id);
      const group = next[at]?.group ?? null;
      app.announce(`${name}: ${at + 1} of ${next.length}${group === null ? ', without a group' : `, in ${group}`}`);
      change(next);
    },
  };
}
