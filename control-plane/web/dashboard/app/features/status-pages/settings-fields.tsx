import { useRef, useState } from 'preact/hooks';
import { Choose, Line, Lines } from '../../kit/form/controlled.tsx';
import type { Action } from '../../session/action.ts';
import type { StatusPage } from '../../session/api-types.ts';
import { logoFault, type PageDraft, pageLocales, pageThemes, slugConsequence } from './page-draft.ts';

type FieldsProps = {
  page: StatusPage;
  draft: PageDraft;
  change(changes: Partial<PageDraft>): void;
  action: Action;
};

/** What the browser knows of time zones, for a field with `list="time-zones"`. */
export function TimeZones() {
  return (
    <datalist id="time-zones">
      {['UTC', ...Intl.supportedValuesOf('timeZone')].map(zone => (
        <option key={zone} value={zone} />
      ))}
    </datalist>
  );
}

export function NameFields({ page, draft, change, action }: FieldsProps) {
  const consequence = slugConsequence(page.slug, draft.slug);
  return (
    <section class="card">
      <h2>Name and address</h2>
      <Line label="Name" name="name" action={action} value={draft.name} onText={name => change({ name })} />
      <Line
        label="Slug"
        name="slug"
        action={action}
        value={draft.slug}
        onText={slug => change({ slug })}
        hint={`The page is public at ${page.url}.`}
        input={{ autocapitalize: 'none' }}
      />
      {consequence !== null && (
        <p class="note" role="status">
          {consequence}
        </p>
      )}
      <Lines
        label="Description"
        name="description"
        action={action}
        value={draft.description}
        onText={description => change({ description })}
        hint="A sentence or two below the name. Plain text."
        rows={3}
      />
      <div class="pair">
        <Line
          label="Link for the name and logo"
          name="home_url"
          action={action}
          value={draft.home_url}
          onText={home_url => change({ home_url })}
          input={{ type: 'url', placeholder: 'https://example.com (the page itself)' }}
        />
        <Line
          label="Support link"
          name="support_url"
          action={action}
          value={draft.support_url}
          onText={support_url => change({ support_url })}
          input={{ placeholder: 'https://… or mailto:…' }}
        />
      </div>
    </section>
  );
}

export function LanguageFields({ draft, change, action }: FieldsProps) {
  return (
    <section class="card">
      <h2>Language and time</h2>
      <div class="pair">
        <Choose
          label="Language"
          name="locale"
          action={action}
          value={draft.locale}
          onText={locale => change({ locale })}
          choices={pageLocales}
          hint="Of all fixed words, numbers and dates. Your own texts are not translated."
        />
        <Line
          label="Time zone"
          name="timezone"
          action={action}
          value={draft.timezone}
          onText={timezone => change({ timezone })}
          input={{ list: 'time-zones', autocapitalize: 'none' }}
        />
        <Line
          label="Days of history"
          name="history_days"
          action={action}
          value={draft.history_days}
          onText={history_days => change({ history_days })}
          input={{ type: 'number', inputMode: 'numeric', min: 7, max: 365 }}
        />
      </div>
      <TimeZones />
    </section>
  );
}

export function LookFields({ page, draft, change, action }: FieldsProps) {
  return (
    <section class="card">
      <h2>Look</h2>
      <LogoField page={page} logo={draft.logo} change={logo => change({ logo })} />
      <div class="pair">
        <Choose
          label="Theme"
          name="theme"
          action={action}
          value={draft.theme}
          onText={theme => change({ theme })}
          choices={pageThemes}
        />
        <div class="colour-field">
          <Line
            label="Colour"
            name="color"
            action={action}
            value={draft.color}
            onText={color => change({ color })}
            hint="Of buttons, and of links in the nearest shade that is readable. Empty: none."
            input={{ placeholder: '#7c3aed', autocapitalize: 'none' }}
          />
          <input
            type="color"
            aria-label="Pick the colour"
            value={/^#[0-9a-f]{6}$/i.test(draft.color) ? draft.color : '#14181d'}
            onInput={event => change({ color: event.currentTarget.value })}
          />
        </div>
      </div>
    </section>
  );
}

type LogoProps = { page: StatusPage; logo: PageDraft['logo']; change(logo: PageDraft['logo']): void };

function LogoField({ page, logo, change }: LogoProps) {
  const input = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string | null>(null);
  // By its path: the page's public address may have another host than the dashboard.
  const stored = page.logo === null ? null : `${new URL(page.logo).pathname}?${encodeURIComponent(page.updated_at)}`;
  const shown = logo === undefined ? stored : logo;
  const choose = (file: File | undefined): void => {
    if (file === undefined) return;
    const problem = logoFault(file);
    setFault(problem);
    if (problem !== null) return;
    const reader = new FileReader();
    reader.onload = () => change(String(reader.result));
    reader.readAsDataURL(file);
  };
  return (
    <div class="field">
      <label for="field-logo">Logo and tab icon</label>
      <div class="logo-field">
        {shown === null ? <span class="no-logo">No logo</span> : <img src={shown} alt="The logo" />}
        <input
          ref={input}
          id="field-logo"
          type="file"
          accept="image/png,image/jpeg,image/webp"
          aria-describedby="logo-hint"
          onChange={event => choose(event.currentTarget.files?.[0])}
        />
        {shown !== null && (
          <button
            type="button"
            onClick={() => {
              if (input.current !== null) input.current.value = '';
              change(page.logo === null ? undefined : null);
            }}
          >
            Remove logo
          </button>
        )}
      </div>
      <p class="hint" id="logo-hint">
        PNG, JPEG or WebP, at most 64 KiB. One that is twice as wide as high is shown instead of the name; the tab then
        shows the current state.
      </p>
      {fault !== null && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}
