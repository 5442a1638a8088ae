import { useMemo, useState } from 'preact/hooks';
import { useForm } from '../../../kit/form/form.tsx';
import { plural } from '../../../kit/plural.ts';
import type { StatusPage } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { type ReadAddresses, type RefusedLine, readAddresses } from './subscriber-file.ts';
import { type Imported, importAddresses } from './subscriber-import.ts';

type ImportProps = { page: StatusPage; refresh(): Promise<void> };
const namedMax = 5;

/** Takes over addresses in portions; what was done stays done, and importing again adds nothing twice. */
export function ImportSubscribers({ page, refresh }: ImportProps) {
  const app = useApp();
  const [progress, setProgress] = useState<{ text: string; imported: Imported } | null>(null);
  const form = useForm(null, { text: '', consent: '' }, async ({ text, consent }) => {
    if (found === null) return;
    const show = (imported: Imported) => setProgress({ text, imported });
    const done = await importAddresses(app.api.client, page.id, consent.trim(), found.addresses, show);
    app.announce(`${plural(done.added, 'subscriber')} added`);
    await refresh();
  });
  const { text } = form.draft;
  const found = useMemo(() => (text.trim() === '' ? null : readAddresses(text)), [text]);
  const total = found?.addresses.length ?? 0;
  const { running } = form.action;
  return (
    <section class="card">
      <h2>Import addresses</h2>
      <form.Form label="Import addresses">
        <FileField take={typed => form.change({ text: typed })} />
        <form.Lines
          name="text"
          at="subscribers"
          label="Or paste addresses"
          hint="One per line, or a CSV with a column named email. A column named state is kept."
          rows={3}
        />
        <form.Line
          name="consent"
          label="Consent"
          hint="How and when these people agreed. They get no email to confirm."
          input={{ required: true, maxLength: 1000 }}
        />
        {found !== null && <Found found={found} />}
        {progress?.text === text && <Report progress={progress.imported} total={total} isRunning={running} />}
        <form.Footer
          submit={total === 0 ? 'Import' : `Import ${plural(total, 'address', 'addresses')}`}
          disabled={total === 0}
        />
      </form.Form>
    </section>
  );
}

function FileField({ take }: { take(text: string): void }) {
  return (
    <div class="field">
      <label for="import-file">CSV file</label>
      <input
        id="import-file"
        type="file"
        accept=".csv,.txt,text/csv,text/plain"
        onChange={event => void event.currentTarget.files?.[0]?.text().then(take)}
      />
    </div>
  );
}

function Found({ found: { addresses, refused, repeated } }: { found: ReadAddresses }) {
  const inactive = addresses.filter(({ state }) => state !== 'active').length;
  return (
    <div class="hint" role="status">
      <p>
        {plural(addresses.length, 'address', 'addresses')} found
        {repeated > 0 && `, ${repeated} repeated`}
        {inactive > 0 && `, ${inactive} of them not active`}
        {refused.length > 0 && `, ${plural(refused.length, 'line')} without an address:`}
      </p>
      <LineList lines={refused} />
    </div>
  );
}

function LineList({ lines }: { lines: readonly RefusedLine[] }) {
  return (
    <>
      <ul>
        {lines.slice(0, namedMax).map(({ line, text }) => (
          <li key={line}>
            Line {line}: <code>{text}</code>
          </li>
        ))}
      </ul>
      {lines.length > namedMax && <p>and {lines.length - namedMax} more</p>}
    </>
  );
}

function Report({ progress, total, isRunning }: { progress: Imported; total: number; isRunning: boolean }) {
  const { sent, added, existing, refused } = progress;
  return (
    <div role="status">
      <progress aria-label="Imported" max={total} value={sent} />
      <p>
        {sent === total && !isRunning ? 'Done' : `${sent} of ${total}`}: {added} added, {existing} known already
        {refused.length > 0 && `, ${refused.length} refused`}.
      </p>
      <LineList lines={refused} />
    </div>
  );
}
