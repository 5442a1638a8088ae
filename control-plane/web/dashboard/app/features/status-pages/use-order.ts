import { useEffect, useRef, useState } from 'preact/hooks';
import { useKeptFocus } from '../../kit/table/kept-focus.ts';
import { useAction } from '../../session/action.ts';
import type { Component, StatusPage } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { drop, type Place, step } from './component-order.ts';

/** Steps that follow each other by keyboard are sent together. */
const settleMs = 700;

/** Moves components of a page. */
export type Order = {
  /** What a handle needs to keep the focus when its row moves. */
  handleProps: ReturnType<typeof useKeptFocus>['handleProps'];
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
  const stored = components.map(({ id, group }) => ({ id, group }));
  const isCurrent = (list: readonly Place[] | null): list is readonly Place[] =>
    list?.length === stored.length && list.every(({ id }) => stored.some(place => place.id === id));
  const places = isCurrent(changed) ? changed : stored;
  const { list, handleProps } = useKeptFocus<HTMLElement>(JSON.stringify(places));
  const wanted = useRef<readonly Place[] | null>(null);
  /** Keys may be pressed faster than this is rendered. */
  const latest = () => (isCurrent(wanted.current) ? wanted.current : places);
  /** Moves that are made meanwhile are stored next. */
  const store = async (): Promise<void> => {
    try {
      while (wanted.current !== null) {
        const sent = wanted.current;
        const body = { status_page_id: page.id, components: sent.map(place => ({ ...place })) };
        await app.api.client.POST('/v0/components/order', { body });
        await refresh();
        if (wanted.current === sent) wanted.current = null;
      }
    } finally {
      wanted.current = null;
      setChanged(null);
    }
  };
  useEffect(() => {
    if (changed === null) return;
    const timer = setTimeout(() => void action.run(store), settleMs);
    return () => clearTimeout(timer);
  }, [changed]);
  const change = (next: readonly Place[]) => {
    if (next === latest()) return;
    wanted.current = next;
    setChanged(next);
  };
  return {
    places,
    problem: action.problem,
    list,
    handleProps,
    dragged,
    drag: setDragged,
    dropAt: (target: string, side: 'before' | 'after') => {
      if (dragged !== null) change(drop(latest(), dragged, target, side));
      setDragged(null);
    },
    move: (id: string, name: string, direction: -1 | 1) => {
      const next = step(latest(), id, direction);
      if (next === latest()) return;
      const at = next.findIndex(place => place.id === id);
      const group = next[at]?.group ?? null;
      app.announce(`${name}: ${at + 1} of ${next.length}${group === null ? ', without a group' : `, in ${group}`}`);
      change(next);
    },
  };
}
