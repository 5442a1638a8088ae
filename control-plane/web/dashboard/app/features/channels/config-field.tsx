import type { Fields } from '../../kit/form/fields.tsx';
import type { ChannelDraft } from './channel-draft.ts';
import type { ChannelField } from './channel-fields.ts';

type ConfigFieldProps = {
  form: Fields<ChannelDraft['config']>;
  field: ChannelField;
  /** What stood in it at first: a masked secret is kept as long as it stays. */
  stored: string;
};

/** One member of a channel's configuration. */
export function ConfigField({ form, field, stored }: ConfigFieldProps) {
  const { name, label, kind, hint, placeholder, choices = [], isOptional, isSecret } = field;
  const isKept = isSecret === true && stored !== '' && form.draft[name] === stored;
  const common = {
    name,
    label: isOptional === true ? `${label} (optional)` : label,
    hint: isKept ? 'Saved but hidden. Leave it unchanged to keep it, or enter a new value.' : hint,
  };
  if (kind === 'choice') return <form.Choice name={name} label={label} choices={choices} />;
  if (kind === 'list' || kind === 'pairs' || kind === 'area')
    return <form.Lines {...common} rows={kind === 'area' ? 6 : 3} placeholder={placeholder} />;
  return (
    <form.Line
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
