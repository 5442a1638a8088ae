import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Action } from '../../session/action.ts';
import { Markdown } from '../markdown.tsx';
import { TextArea } from './form.tsx';

type MarkdownFieldProps = {
  label: string;
  name: string;
  hint?: ComponentChildren;
  action: Action;
  id?: string;
  value?: string;
  rows: number;
  maxLength?: number;
};

/** A wide text with a preview of how the status page shows it, beside it or, on a phone, below it. */
export function MarkdownField(props: MarkdownFieldProps) {
  const [text, setText] = useState(props.value ?? '');
  const host = useRef<HTMLDivElement>(null);
  const onInput = (event: Event) => setText((event.currentTarget as HTMLTextAreaElement).value);
  return (
    <div class="markdown-field" ref={host}>
      <TextArea {...props} onInput={onInput} />
      <div class="markdown-preview">
        <p class="label">Preview</p>
        <div class="markdown" tabIndex={0} role="group" aria-label="Preview">
          {text.trim() === '' ? <p class="hint">Nothing to preview yet.</p> : <Markdown text={text} />}
        </div>
      </div>
    </div>
  );
}
