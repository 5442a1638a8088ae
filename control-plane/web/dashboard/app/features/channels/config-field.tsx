import { Line, Lines, Pick } from '../../kit/form/controlled.tsx';
import type { Action } from '../../session/action.ts';
import type { ChannelField } from './channel-fields.ts';

type ConfigFieldProps = {
  field: ChannelField;
  action: Action;
  value: string;
  /** What stood in it at first: a masked secret is kept as long as it stays. */
  stored: string;
  onText(text: string): void;
};

/** One member of a channel's configuration. */
export function ConfigField({ field, action, value, stored, onText }: ConfigFieldProps) {
  const { name, label, kind, hint, placeholder, choices, isOptional, isSecret } = field;
  const isKept = isSecret === true && value !== '' && value === stored;
  const common = {
    label: isOptional === true ? `${label} (optional)` : label,
    name: `config/${name}`,
    action,
    value,
    onText,
    hint: isKept ? 'Saved but hidden. Leave it unchanged to keep it, or enter a new value.' : hint,
  };
  if (kind === 'choice') return <Pick label={label} value={value} choices={choices ?? []} onText={onText} />;
  if (kind === 'list' || kind === 'pairs' || kind === 'area')
    return <Lines {...common} rows={kind === 'area' ? 6 : 3} placeholder={placeholder} />;
  return (
    <Line
      {...common}
      input={{
        placeholder,
        inputMode: kind === 'number' ? 'numeric' : undefined,
        autocomplete: 'off',
        autocapitalize: 'none',
        spellcheck: false,
        // Typing replaces the mask instead of adding to it.
        onFocus: event => isKept && event.currentTarget.select(),
      }}
    />
  );
}
