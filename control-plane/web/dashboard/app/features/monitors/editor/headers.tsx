type Pair = readonly [name: string, value: string];
type HeadersProps = { headers: readonly Pair[]; onChange(headers: readonly Pair[]): void };

/** Request headers as rows of name and value. */
export function Headers({ headers, onChange }: HeadersProps) {
  const set = (index: number, pair: Pair) => onChange(headers.map((each, at) => (at === index ? pair : each)));
  return (
    <fieldset>
      <legend>Headers</legend>
      {headers.map(([name, value], index) => (
        <div key={index} class="header-row">
          <input
            aria-label={`Name of header ${index + 1}`}
            placeholder="Authorization"
            value={name}
            onInput={event => set(index, [event.currentTarget.value, value])}
          />
          <input
            aria-label={`Value of header ${index + 1}`}
            placeholder="Bearer …"
            value={value}
            onInput={event => set(index, [name, event.currentTarget.value])}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove header ${index + 1}`}
            onClick={() => onChange(headers.filter((_, at) => at !== index))}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" onClick={() => onChange([...headers, ['', '']])}>
        Add header
      </button>
    </fieldset>
  );
}
