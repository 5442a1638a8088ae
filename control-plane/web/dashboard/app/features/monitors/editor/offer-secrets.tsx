import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAnswer } from '../../../session/answer.ts';
import { useApp } from '../../../session/app.ts';
import { readAll } from '../../../session/read-all.ts';

const readMax = 1000;
const offeredMax = 12;

type TextField = HTMLInputElement | HTMLTextAreaElement;
/** A reference that is being typed: where it stands in the text, and what there is of the name. */
type Typing = { field: TextField; start: number; end: number; begun: string };

/** Offers the names of secrets below the fields in it, once somebody types two braces in one of them. */
export function OfferSecrets({ children }: { children: ComponentChildren }) {
  const { api, can } = useApp();
  const [typing, setTyping] = useState<Typing | null>(null);
  const isAsking = typing !== null && can('secrets:read');
  const { value: secrets } = useAnswer(
    isAsking ? 'secrets' : null,
    () => readAll(query => api.client.GET('/v0/secrets', { params: { query } }), readMax),
    0,
  );
  const names = typing === null ? [] : (secrets ?? []).map(({ name }) => name).filter(startsWith(typing.begun));
  return (
    <div
      class="offer-secrets"
      onInput={({ target }) => setTyping(isTextField(target) ? typingIn(target) : null)}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setTyping(null);
      }}
    >
      {children}
      {typing !== null && names.length > 0 && (
        <div class="chips" role="group" aria-label="Secrets">
          {names.slice(0, offeredMax).map(name => (
            <button
              key={name}
              type="button"
              class="chip"
              // The field keeps the focus.
              onMouseDown={event => event.preventDefault()}
              onClick={() => insert(typing, name)}
            >
              {name}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function isTextField(target: EventTarget | null): target is TextField {
  const { tagName = '' } = Object(target);
  return tagName === 'INPUT' || tagName === 'TEXTAREA';
}

/** The reference that ends where the caret is; null if there is none. */
function typingIn(field: TextField): Typing | null {
  const end = field.selectionStart ?? field.value.length;
  const [reference, begun] = /\{\{(?:secret\.)?(\w*)$/.exec(field.value.slice(0, end)) ?? [];
  return reference === undefined || begun === undefined ? null : { field, start: end - reference.length, end, begun };
}

function startsWith(begun: string): (name: string) => boolean {
  const upper = begun.toUpperCase();
  // Of `{{secret` the name has not begun.
  return name => 'SECRET'.startsWith(upper) || name.startsWith(upper);
}

/** Completes the reference as if it had been typed. */
function insert({ field, start, end }: Typing, name: string): void {
  const reference = `{{secret.${name}}}`;
  const after = field.value.slice(end).replace(/^\}\}/, '');
  field.value = `${field.value.slice(0, start)}${reference}${after}`;
  field.focus();
  field.setSelectionRange(start + reference.length, start + reference.length);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
