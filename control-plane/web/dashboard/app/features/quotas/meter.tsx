import type { Use } from './quotas.ts';

const words: Readonly<Record<Use['level'], string>> = { ok: '', near: 'nearly used up', full: 'used up' };

/** How much of a limit is used: a bar, the figures and, where it matters, a word. */
export function Meter({ use: { label, text, share, level } }: { use: Use }) {
  return (
    <div class={`meter ${level}`}>
      <span class="meter-label">{label}</span>
      <span class="meter-text">
        {words[level] !== '' && <strong>{words[level]} · </strong>}
        {text}
      </span>
      <div class="meter-bar" aria-hidden="true">
        <div style={{ width: `${Math.max(share * 100, share > 0 ? 0.5 : 0)}%` }} />
      </div>
    </div>
  );
}
