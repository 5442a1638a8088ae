import { useMemo, useRef, useState } from 'preact/hooks';
import { SubmitButton } from '../../../kit/button.tsx';
import { Line, Lines } from '../../../kit/form/controlled.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { plural } from '../../../kit/plural.ts';
import { ProblemNote } from '../../../kit/problem.tsx';
import { useAction } from '../../../session/action.ts';
import type { StatusPage } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { type ReadAddresses, type RefusedLine, readAddresses } from './subscriber-file.ts';
import { type Imported, importAddresses } from './subscriber-import.ts';

type ImportProps = { page: StatusPage; refresh(): Promise<void> };
const namedMax = 5;

/** Takes over addresses in portions; what was done stays done, and importing again adds nothing twice. */
export function ImportSubscribers({ page, refresh }: ImportProps) {
  const app = useApp();
  const action = useAction();
  const file = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [consent, setConsent] = useState('');
  const [progress, setProgress] = useState<Imported | null>(null);
  const found = useMemo(() => (text.trim() === '' ? null : readAddresses(text)), [text]);
  const total = found?.addresses.length ?? 0;
  const run = async (): Promise<void> => {
    if (found === null) return;
    const done = await importAddresses(app.api.client, page.id, consent.trim(), found.addresses, setProgress);
    app.announce(`${plural(done.added, 'subscriber')} added`);
    await refresh();
  };
  const take = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return;
    setText(await chosen.text());
    setProgress(null);
  };
  return (
    <section class="card">
      <h2>Import addresses</h2>
      <Form label="Import addresses" action={action} submit={run}>
        <div class="field">
          <label for="import-file">CSV file</label>
          <input
            ref={file}
            id="import-file"
            type="file"
            accept=".csv,.txt,text/csv,text/plain"
            onChange={event => void take(event.currentTarget.files?.[0])}
          />
        </div>
        <Lines
          label="Or paste addresses"
          name="subscribers"
          action={action}
          value={text}
          onText={typed => {
            setText(typed);
            setProgress(null);
          }}
          hint="One per line, or a CSV with a column named email. A column named state is kept."
          rows={3}
        />
        <Line
          label="Consent"
          name="consent"
          id="import-consent"
          action={action}
          value={consent}
          onText={setConsent}
          hint="How and when these people agreed. They get no email to confirm."
          input={{ required: true, maxLength: 1000 }}
        />
        {found !== null && <Found found={found} />}
        {progress !== null && <Report progress={progress} total={total} isRunning={action.running} />}
        <ProblemNote problem={action.problem} fields={['consent']} />
        <div class="buttons">
          <SubmitButton action={action} disabled={total === 0}>
            {total === 0 ? 'Import' : `Import ${plural(total, 'address', 'addresses')}`}
          </SubmitButton>
        </div>
      </Form>
    </section>
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
