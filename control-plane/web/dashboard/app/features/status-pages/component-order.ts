import type { Component } from '../../session/api-types.ts';

/** Where a component stands on its page. */
export type Place = { id: string; group: string | null };

/** In the order of the public page: the components of a group stand where its first one stands. */
export function inPageOrder<Item extends Pick<Component, 'id' | 'group' | 'position'>>(items: readonly Item[]): Item[] {
  const sorted = items.toSorted((left, right) => left.position - right.position);
  return [...Map.groupBy(sorted, item => item.group ?? item).values()].flat();
}

/**
 * The places after a step up or down. At the edge of its group a component leaves it; beside a group one without a
 * group joins it. The same list if there is nowhere to go.
 */
export function step(places: readonly Place[], id: string, direction: -1 | 1): readonly Place[] {
  const at = places.findIndex(place => place.id === id);
  const [own, other] = [places[at], places[at + direction]];
  if (own === undefined) return places;
  if (own.group !== null && other?.group !== own.group) return places.with(at, { id, group: null });
  if (other === undefined) return places;
  if (own.group === null && other.group !== null) return places.with(at, { id, group: other.group });
  return places.with(at, other).with(at + direction, own);
}

/** The places after a component was dropped before or after another one, whose group it joins. */
export function drop(places: readonly Place[], id: string, target: string, side: 'before' | 'after'): readonly Place[] {
  const rest = places.filter(place => place.id !== id);
  const at = rest.findIndex(place => place.id === target);
  if (id === target || at < 0 || rest.length === places.length) return places;
  return rest.toSpliced(side === 'before' ? at : at + 1, 0, { id, group: rest[at]?.group ?? null });
}

/** Neighbours of one group together, for the headings of a list. */
export function groupsOf<Item extends { group: string | null }>(
  items: readonly Item[],
): { group: string | null; members: Item[] }[] {
  const groups: { group: string | null; members: Item[] }[] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last !== undefined && last.group === item.group) last.members.push(item);
    else groups.push({ group: item.group, members: [item] });
  }
  return groups;
}
