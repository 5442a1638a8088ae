import { useRef, useState } from 'preact/hooks';
import type { Fields } from '../../kit/form/fields.tsx';
import { ZoneField } from '../../kit/form/zone-field.tsx';
import type { StatusPage } from '../../session/api-types.ts';
import { logoFault, type PageDraft, pageLocales, pageThemes, slugConsequence } from './page-draft.ts';

type FieldsProps = { form: Fields<PageDraft>; page: StatusPage };

export function NameFields({ form, page }: FieldsProps) {
  const consequence = slugConsequence(page.slug, form.draft.slug);
  return (
    <section class="card">
      <h2>Name and address</h2>
      <form.Line name="name" label="Name" />
      <form.Line
        name="slug"
        label="Slug"
        hint={`The page is public at ${page.url}.`}
        input={{ autocapitalize: 'none' }}
      />
      {consequence !== null && (
        <p class="note" role="status">
          {consequence}
        </p>
      )}
      <form.Lines
        name="description"
        label="Description"
        hint="A sentence or two below the name. Plain text."
        rows={3}
      />
      <div class="pair">
        <form.Line
          name="home_url"
          label="Link for the name and logo"
          input={{ type: 'url', placeholder: 'https://example.com (the page itself)' }}
        />
        <form.Line name="support_url" label="Support link" input={{ placeholder: 'https://… or mailto:…' }} />
      </div>
    </section>
  );
}

export function LanguageFields({ form }: Pick<FieldsProps, 'form'>) {
  return (
    <section class="card">
      <h2>Language and time</h2>
      <div class="pair">
        <form.Choice
          name="locale"
          label="Language"
          choices={pageLocales}
          hint="Of all fixed words, numbers and dates. Your own texts are not translated."
        />
        <ZoneField field={form.text('timezone')} />
        <form.Line
          name="history_days"
          label="Days of history"
          input={{ type: 'number', inputMode: 'numeric', min: 7, max: 365 }}
        />
      </div>
    </section>
  );
}

export function LookFields({ form, page }: FieldsProps) {
  const { draft, change } = form;
  return (
    <section class="card">
      <h2>Look</h2>
      <LogoField page={page} logo={draft.logo} change={logo => change({ logo })} />
      <div class="pair">
        <form.Choice name="theme" label="Theme" choices={pageThemes} />
        <div class="colour-field">
          <form.Line
            name="color"
            label="Colour"
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
