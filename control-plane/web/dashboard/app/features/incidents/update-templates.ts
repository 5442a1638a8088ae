import type { Component, Incident } from '../../session/api-types.ts';

type State = Incident['state'];

/** A text to begin an update with. `{what}` becomes the names of the affected components. */
export type Template = { name: string; state: State; text: string };

const templates: readonly Template[] = [
  {
    name: 'Investigating',
    state: 'investigating',
    text: 'We are investigating a problem with {what}. We will post an update within 30 minutes.',
  },
  {
    name: 'Cause found',
    state: 'identified',
    text: 'We have identified the problem with {what} and are working on a fix.',
  },
  {
    name: 'Workaround',
    state: 'identified',
    text: 'We are still working on a fix for {what}. Until then, please …',
  },
  {
    name: 'Provider outage',
    state: 'identified',
    text: 'An outage at one of our providers affects {what}. We are in contact with them.',
  },
  {
    name: 'Fix deployed',
    state: 'monitoring',
    text: 'We have deployed a fix for {what} and are monitoring the recovery.',
  },
  {
    name: 'No news',
    state: 'investigating',
    text: 'We are still working on the problem with {what}. We will post the next update within an hour.',
  },
  {
    name: 'Resolved',
    state: 'resolved',
    text: 'The problem with {what} is resolved. We apologize for the disruption.',
  },
];

/** The templates with the names filled in. */
export function templatesFor(components: readonly string[]): Template[] {
  const what = joinNames(components);
  return templates.map(template => ({ ...template, text: template.text.replace('{what}', () => what) }));
}

/** `A`, `A and B`, `A, B and C`; `our service` without any. */
export function joinNames(names: readonly string[]): string {
  const last = names.at(-1);
  if (last === undefined) return 'our service';
  const first = names.slice(0, -1);
  return first.length === 0 ? escapeName(last) : `${first.map(escapeName).join(', ')} and ${escapeName(last)}`;
}

/** Keeps a name from being read as Markdown. */
function escapeName(name: string): string {
  return name.replaceAll(/[\\`*_{}[\]<>]/g, '\\$&');
}

/** The names of the components that an incident affects, of those that are known. */
export function affectedNames(
  { affected_components }: Pick<Incident, 'affected_components'>,
  components: readonly Pick<Component, 'id' | 'name'>[],
): string[] {
  return components.filter(({ id }) => affected_components.includes(id)).map(({ name }) => name);
}
