import { useState } from 'preact/hooks';
import { Badge } from '../../kit/badge.tsx';
import type { LabelledPresentation } from '../../kit/labels.ts';
import { Markdown } from '../../kit/markdown.tsx';
import { Ago } from '../../kit/time.tsx';
import { EditUpdateDialog } from './edit-update-dialog.tsx';

type PublishedUpdate = { id: string; posted_at: string; edited_at: string | null; body: string; state: string };

type PublishedUpdatesProps<Update> = {
  updates: readonly Update[];
  stateOf(update: Update): LabelledPresentation;
  /** Said where there is none. */
  empty: string;
  /** Null if the token may not correct them. */
  save: ((update: Update, body: string) => Promise<void>) | null;
};

/** What was published about an incident or maintenance, newest first. */
export function PublishedUpdates<Update extends PublishedUpdate>(props: PublishedUpdatesProps<Update>) {
  const { updates, stateOf, empty, save } = props;
  const [edited, setEdited] = useState<Update | null>(null);
  return (
    <section class="card">
      <h2>Updates</h2>
      {updates.length === 0 && <p class="hint">{empty}</p>}
      <ol class="updates">
        {updates.toReversed().map(update => (
          <li key={update.id}>
            <div class="state">
              <Badge state={stateOf(update)} />
              <Ago at={update.posted_at} />
              {update.edited_at !== null && (
                <span class="hint">
                  edited <Ago at={update.edited_at} />
                </span>
              )}
              {save !== null && (
                <button type="button" class="quiet end" onClick={() => setEdited(update)}>
                  Edit
                </button>
              )}
            </div>
            <div class="markdown">
              <Markdown text={update.body} />
            </div>
          </li>
        ))}
      </ol>
      {edited !== null && save !== null && (
        <EditUpdateDialog update={edited} save={body => save(edited, body)} close={() => setEdited(null)} />
      )}
    </section>
  );
}
