import type { ComponentChildren } from 'preact';
import { Markdown } from '../markdown.tsx';
import { type Field, LinesControl } from './controls.tsx';

type MarkdownFieldProps = {
  field: Field<string>;
  label: string;
  hint?: ComponentChildren;
  rows: number;
  maxLength?: number;
};

/** A wide text with a preview of how the status page shows it, beside it or, on a phone, below it. */
export function MarkdownField(props: MarkdownFieldProps) {
  const text = props.field.value;
  return (
    <div class="markdown-field">
      <LinesControl {...props} />
      <div class="markdown-preview">
        <p class="label">Preview</p>
        <div class="markdown" tabIndex={0} role="group" aria-label="Preview">
          {text.trim() === '' ? <p class="hint">Nothing to preview yet.</p> : <Markdown text={text} />}
        </div>
      </div>
    </div>
  );
}
