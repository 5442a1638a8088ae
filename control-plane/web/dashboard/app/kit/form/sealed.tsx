import type { InputHTMLAttributes, TargetedEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { mask } from './mask.ts';

/** `plain`: what is typed can be read. */
type SealedAttributes = Pick<InputHTMLAttributes<HTMLInputElement>, 'placeholder' | 'maxLength' | 'autocapitalize'> & {
  plain?: boolean;
};

const shownInput = { type: 'text', autocomplete: 'off' } as const;
const hiddenInput = { type: 'password', autocomplete: 'new-password' } as const;

export type SealedInputProps = {
  label: string;
  value: string;
  onChange(value: string): void;
  /** Whether one is stored; where it is not said, whether the mask stood in the field. */
  isStored?: boolean | undefined;
  /** Several lines instead of one. */
  rows?: number | undefined;
  input?: SealedAttributes | undefined;
  described: Readonly<Record<string, string | undefined>>;
};

/** A secret that is stored is said to be set, and its value never shown; it is replaced by an empty field. */
export function SealedInput({ label, value, onChange, isStored, rows, input, described }: SealedInputProps) {
  const { plain = false, ...own } = input ?? {};
  const host = useRef<HTMLSpanElement>(null);
  const hasMoved = useRef(false);
  const typed = useRef('');
  const wasSet = useRef(false);
  if (value === mask && typed.current !== mask) wasSet.current = true;
  const isKnown = isStored ?? wasSet.current;
  const isSet = isKnown && value === mask;
  useLayoutEffect(() => {
    // The button that was pressed is gone: what stands in its place has the focus.
    if (hasMoved.current) host.current?.querySelector<HTMLElement>('input, textarea, button')?.focus();
    hasMoved.current = false;
  }, [isSet]);
  const move = (next: string) => {
    hasMoved.current = true;
    typed.current = '';
    onChange(next);
  };
  const shown = value === mask ? '' : value;
  const onInput = (event: TargetedEvent<HTMLInputElement | HTMLTextAreaElement>) => {
    typed.current = event.currentTarget.value;
    onChange(typed.current);
  };
  if (isSet) {
    const { 'aria-label': _, 'aria-invalid': __, ...button } = described;
    return (
      <span ref={host} class="sealed">
        <span class="set">Set</span>
        <button type="button" {...button} aria-label={`Replace ${label}, which is set`} onClick={() => move('')}>
          Replace
        </button>
      </span>
    );
  }
  return (
    <span ref={host} class="sealed">
      {rows === undefined ? (
        <input
          {...own}
          {...(plain ? shownInput : hiddenInput)}
          spellcheck={false}
          {...described}
          value={shown}
          onInput={onInput}
        />
      ) : (
        <textarea rows={rows} spellcheck={false} {...described} value={shown} onInput={onInput} />
      )}
      {isKnown && (
        <button type="button" class="quiet" aria-label={`Keep the present one: ${label}`} onClick={() => move(mask)}>
          Keep the present one
        </button>
      )}
    </span>
  );
}
