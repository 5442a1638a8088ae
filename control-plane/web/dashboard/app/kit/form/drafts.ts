// What was typed and not sent, in the tab's own storage: it survives a reload and a new sign-in, and ends with the tab.

import { projectOfPath } from '../../session/tab-project.ts';

type Draft = Readonly<Record<string, string>>;

const prefix = 'draft ';
const bytesMax = 100_000;

/** The typed text of a form's fields by their names; empty if there is none. */
export function readDraft(key: string, storage: Storage = sessionStorage): Draft {
  try {
    const found: unknown = JSON.parse(storage.getItem(nameOf(key)) ?? '{}');
    if (typeof found !== 'object' || found === null) return {};
    return Object.fromEntries(Object.entries(found).filter(entry => typeof entry[1] === 'string'));
  } catch {
    return {};
  }
}

/** Keeps a draft; one without text, or too long to keep, is removed. */
export function writeDraft(key: string, draft: Draft, storage: Storage = sessionStorage): void {
  const text = JSON.stringify(draft);
  try {
    if (Object.values(draft).every(value => value === '') || text.length > bytesMax) storage.removeItem(nameOf(key));
    else storage.setItem(nameOf(key), text);
  } catch {
    // A full or forbidden storage must not stop anybody from typing.
  }
}

/** What was typed in one project does not show in another. */
function nameOf(key: string): string {
  const project = projectOfPath(globalThis.location?.pathname ?? '');
  return `${prefix}${project === null ? '' : `${project} `}${key}`;
}

/** Removes all drafts: whoever signs in next in this tab may be somebody else. */
export function clearDrafts(storage: Storage = sessionStorage): void {
  for (const key of Object.keys(storage)) if (key.startsWith(prefix)) storage.removeItem(key);
}
