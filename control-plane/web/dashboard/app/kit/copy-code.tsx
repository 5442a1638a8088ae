import { useId, useRef, useState } from 'preact/hooks';
import { useApp } from '../session/app.ts';

type CopyCodeProps = { label: string; code: string; hint?: string };

/** Text to paste elsewhere, with a button that copies it. Without a clipboard the button selects the text. */
export function CopyCode({ label, code, hint }: CopyCodeProps) {
  const app = useApp();
  const id = useId();
  const host = useRef<HTMLPreElement>(null);
  const [said, setSaid] = useState('Copy');
  const copy = async (): Promise<void> => {
    const isCopied = await writeClipboard(code);
    if (!isCopied && host.current !== null) getSelection()?.selectAllChildren(host.current);
    setSaid(isCopied ? 'Copied' : 'Selected: press Ctrl C');
    app.announce(isCopied ? `${label}: copied` : `${label}: selected`);
  };
  return (
    <div class="copy-code">
      <div class="card-head">
        <span class="label" id={id}>
          {label}
        </span>
        <button type="button" aria-label={`Copy: ${label}`} onClick={() => void copy()}>
          {said}
        </button>
      </div>
      {hint !== undefined && <p class="hint">{hint}</p>}
      <pre ref={host} tabIndex={0} role="group" aria-labelledby={id}>
        {code}
      </pre>
    </div>
  );
}

/** Browsers have a clipboard on https and localhost only, and may refuse it. */
async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
