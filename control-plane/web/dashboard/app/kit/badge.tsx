import { type Glyph, glyphs } from '#control-plane/platform/design/icons.ts';
import type { LabelledPresentation } from './labels.ts';

export function Shape({ name }: { name: Glyph }) {
  return (
    <svg class="shape" viewBox="0 0 16 16" aria-hidden="true">
      <path d={glyphs[name]} fill-rule="evenodd" />
    </svg>
  );
}

/** Shape, colour and word of a state. */
export function Badge({ state, text }: { state: LabelledPresentation; text?: string }) {
  return (
    <span class={`badge ${state.tone}`}>
      <Shape name={state.glyph} />
      <span>{text ?? state.label}</span>
    </span>
  );
}
