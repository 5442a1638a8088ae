import { CopyCode } from '../../kit/copy-code.tsx';
import type { StatusPage } from '../../session/api-types.ts';
import { embedCodes, feedAddresses, feedQuery } from './page-draft.ts';

/** What to paste elsewhere: the badge, the page in a frame, and addresses for programs. */
export function Embed({ page }: { page: StatusPage }) {
  return (
    <div class="columns">
      <section class="card">
        <h2>Badge</h2>
        <p>
          <img
            class="badge-picture"
            src={`/status/${page.slug}/badge.svg${feedQuery(page.access)}`}
            alt={`Badge of ${page.name}`}
          />
        </p>
        <p class="hint">It shows the current state and is never older than a few seconds.</p>
        {embedCodes(page).map(({ label, code }) => (
          <CopyCode key={label} label={label} code={code} />
        ))}
      </section>
      <section class="card">
        <h2>Feeds</h2>
        <p class="hint">For readers and programs; the JSON has the format of Statuspage.</p>
        {feedAddresses(page).map(({ label, code }) => (
          <CopyCode key={label} label={label} code={code} />
        ))}
      </section>
    </div>
  );
}
