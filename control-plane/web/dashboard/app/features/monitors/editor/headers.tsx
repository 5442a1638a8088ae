import { OfferSecrets } from './offer-secrets.tsx';

type Pair = readonly [name: string, value: string];
type HeadersProps = {
  what?: 'header' | 'metadata';
  headers: readonly Pair[];
  onChange(headers: readonly Pair[]): void;
};

/** Request headers, or metadata, as rows of name and value. */
export function Headers({ what = 'header', headers, onChange }: HeadersProps) {
  const set = (index: number, pair: Pair) => onChange(headers.map((each, at) => (at === index ? pair : each)));
  return (
    <OfferSecrets>
      <fieldset>
        <legend>{what === 'header' ? 'Headers' : 'Metadata'}</legend>
        {headers.map(([name, value], index) => (
          <div key={index} class="header-row">
            <input
              aria-label={`Name of ${what} ${index + 1}`}
              placeholder={what === 'header' ? 'Authorization' : 'authorization'}
              value={name}
              onInput={event => set(index, [event.currentTarget.value, value])}
            />
            <input
              aria-label={`Value of ${what} ${index + 1}`}
              placeholder="Bearer …"
              value={value}
              onInput={event => set(index, [name, event.currentTarget.value])}
            />
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${what} ${index + 1}`}
              onClick={() => onChange(headers.filter((_, at) => at !== index))}
            >
              Remove
            </button>
          </div>
        ))}
        <button type="button" onClick={() => onChange([...headers, ['', '']])}>
          Add {what}
        </button>
      </fieldset>
    </OfferSecrets>
  );
}
