import { useState } from 'preact/hooks';

/** A secret that is never shown again. */
export function OneTimeSecret({ label, secret }: { label: string; secret: string }) {
  const [isCopied, setCopied] = useState(false);
  // There is a clipboard on https and localhost only.
  const copy = () => void navigator.clipboard?.writeText(secret).then(() => setCopied(true), ignore);
  return (
    <div class="field">
      <span class="label">{label}</span>
      <div class="header-row">
        <code class="secret">{secret}</code>
        {navigator.clipboard !== undefined && (
          <button type="button" onClick={copy}>
            {isCopied ? 'Copied' : 'Copy'}
          </button>
        )}
      </div>
      <p class="hint">Store it now: it is not shown again.</p>
    </div>
  );
}

function ignore(): void {}
