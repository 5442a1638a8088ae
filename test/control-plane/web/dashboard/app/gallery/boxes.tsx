import { useState } from 'preact/hooks';
import { CopyCode } from '#control-plane/web/dashboard/app/kit/copy-code.tsx';
import { ConfirmDialog } from '#control-plane/web/dashboard/app/kit/dialog/confirm-dialog.tsx';
import { Dialog } from '#control-plane/web/dashboard/app/kit/dialog/dialog.tsx';
import { Skeleton } from '#control-plane/web/dashboard/app/kit/page.tsx';
import { ProblemNote } from '#control-plane/web/dashboard/app/kit/problem.tsx';
import { SectionLinks } from '#control-plane/web/dashboard/app/kit/section-links.tsx';
import { Ago, At, Lasted, Since } from '#control-plane/web/dashboard/app/kit/time.tsx';
import { ApiProblem } from '#control-plane/web/dashboard/app/session/api.ts';

const at = '2026-11-21T09:12:00.000Z';
const detail = 'is not valid';
const problems: Readonly<Record<string, Error>> = {
  'no connection': new TypeError('failed to fetch'),
  'no answer': Object.assign(new Error('late'), { name: 'TimeoutError' }),
  'wrong fields': new ApiProblem(422, {
    detail,
    errors: [{ pointer: '/name', code: 'required', detail: 'is required' }],
  }),
  'not allowed': new ApiProblem(403, { detail: 'this endpoint needs the scope monitors:write' }, 'req_1'),
  'changed by somebody else': new ApiProblem(412, { detail: 'The resource has changed since' }, 'req_2'),
  'too many requests': new ApiProblem(429, { detail: 'Too many requests' }, 'req_3'),
  'our fault': new ApiProblem(500, { detail: 'Something went wrong on our side' }, 'req_4'),
};

/** Cards, messages, dialogs and what surrounds a view. */
export function Boxes() {
  const [open, setOpen] = useState<'plain' | 'confirm' | 'typed' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <div class="columns">
        {['', 'bad', 'warn', 'unknown'].map(tone => (
          <div key={tone} class={`card ${tone}`}>
            <h3>A card{tone === '' ? '' : `, ${tone}`}</h3>
            <p class="hint">A hint below it.</p>
          </div>
        ))}
        <div class="card empty">
          <h2>An empty list</h2>
          <p>What would be here, and how to get it.</p>
        </div>
        <div class="card">
          <p class="note">A note that explains a consequence.</p>
          <p class="stale">Connection lost. Showing data as of 10:00:00 UTC.</p>
          <p>
            <span class="tag">env=prod</span> <kbd>Ctrl</kbd> <kbd>K</kbd>
          </p>
        </div>
      </div>
      <div class="card">
        <h3>Loading</h3>
        <Skeleton rows={2} />
        <h3>Problems</h3>
        {Object.entries(problems).map(([name, problem]) => (
          <div key={name}>
            <p class="hint">{name}</p>
            <ProblemNote problem={problem} retry={() => undefined} />
          </div>
        ))}
      </div>
      <div class="card">
        <h3>Buttons</h3>
        <p class="buttons">
          <button type="button">Plain</button>
          <button type="button" class="primary">
            Primary
          </button>
          <button type="button" class="danger">
            Danger
          </button>
          <button type="button" class="quiet">
            Quiet
          </button>
          <button type="button" class="link">
            Link
          </button>
          <a class="button" href="#gallery">
            Link as a button
          </a>
          <button type="button" disabled>
            Disabled
          </button>
          <button type="button" class="primary" aria-disabled="true" aria-busy="true">
            Busy
          </button>
          <button type="button" class="chip" aria-pressed="true">
            Chip, chosen
          </button>
          <button type="button" class="chip" aria-pressed="false">
            Chip
          </button>
        </p>
        <h3>Dialogs</h3>
        <p class="buttons">
          {(['plain', 'confirm', 'typed'] as const).map(kind => (
            <button key={kind} type="button" onClick={() => setOpen(kind)}>
              Open dialog: {kind}
            </button>
          ))}
        </p>
        {open === 'plain' && (
          <Dialog title="A dialog" close={close}>
            <p>Escape or a click outside closes it.</p>
          </Dialog>
        )}
        {(open === 'confirm' || open === 'typed') && (
          <ConfirmDialog
            title="Delete Shop?"
            button="Delete"
            close={close}
            work={async () => close()}
            {...(open === 'typed' ? { typed: 'shop' } : {})}
          >
            <p>It cannot be undone.</p>
          </ConfirmDialog>
        )}
        <h3>Section links</h3>
        <SectionLinks
          label="Example of sections"
          current="#one"
          links={['one', 'two', 'three'].map(name => ({ name: `Section ${name}`, address: `#${name}` }))}
        />
        <CopyCode
          label="Text to copy"
          hint="With a hint."
          code={'npm run agent\nCONTROL_PLANE_URL=https://up.example'}
        />
        <h3>Times</h3>
        <p class="state">
          <Ago at={at} /> · <Since at={at} /> · <At at={at} /> · <Lasted started_at={at} resolved_at={null} /> ·{' '}
          <Lasted started_at={at} resolved_at="2026-11-21T09:30:00.000Z" />
        </p>
      </div>
    </>
  );
}
