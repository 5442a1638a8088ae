import { useRef, useState } from 'preact/hooks';

/** A secret that is shown this once, with a button that copies it. */
export function Secret({ label, value }: { label: string; value: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [note, setNote] = useState('');
  const copy = async (): Promise<void> => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(value);
      setNote('Copied.');
    } catch {
      // Only https pages and localhost may copy by themselves.
      setNote('Press Ctrl C to copy.');
    }
  };
  return (
    <div class="secret">
      <label>
        <span class="unseen">{label}</span>
        <input ref={field} readOnly value={value} onFocus={event => event.currentTarget.select()} />
      </label>
      <button type="button" onClick={() => void copy()}>
        Copy
      </button>
      <span class="hint" role="status">
        {note}
      </span>
    </div>
  );
}
