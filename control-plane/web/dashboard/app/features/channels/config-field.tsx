import type { Fields } from '../../kit/form/fields.tsx';
import { mask } from '../../kit/form/mask.ts';
import type { ChannelDraft } from './channel-draft.ts';
import type { ChannelField } from './channel-fields.ts';

type ConfigFieldProps = {
  form: Fields<ChannelDraft['config']>;
  field: ChannelField;
  /** What stood in it at first. */
  stored: string;
};

/** One member of a channel's configuration. */
export function ConfigField({ form, field, stored }: ConfigFieldProps) {
  const { name, label, kind, hint, placeholder, choices = [], isOptional, isSecret } = field;
  const isSealed = isSecret === true && kind !== 'pairs' && kind !== 'list';
  const isKept = isSecret === true && stored.includes(mask) && form.draft[name] === stored;
  const common = {
    name,
    label: isOptional === true ? `${label} (optional)` : label,
    hint: isKept && !isSealed ? 'The values are set and not shown. Those that stay ******** are kept.' : hint,
  };
  if (kind === 'choice') return <form.Choice name={name} label={label} choices={choices} />;
  if (isSealed)
    return (
      <form.Sealed
        {...common}
        isStored={stored === mask}
        rows={kind === 'area' ? 3 : undefined}
        input={{ plain: true, autocapitalize: 'none', ...(placeholder === undefined ? {} : { placeholder }) }}
      />
    );
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
      }}
    />
  );
}
