import { type Level, type Levels, levelsOf, presets, scopeResources, scopesOfLevels, within } from './scopes.ts';

type ScopePickerProps = {
  levels: Levels;
  /** Whether the signed-in token has a scope: it can give no other. */
  can(scope: string): boolean;
  choose(levels: Levels): void;
};

/** What a token may do with each resource; presets fill in the usual ones. */
export function ScopePicker({ levels, can, choose }: ScopePickerProps) {
  const chosen = scopesOfLevels(levels).join();
  return (
    <fieldset>
      <legend>Scopes</legend>
      <div class="chips">
        {presets.map(([name, hint, preselected]) => (
          <button
            key={name}
            type="button"
            class="chip"
            title={hint}
            aria-pressed={chosen === scopesOfLevels(within(preselected, can)).join()}
            onClick={() => choose(within(preselected, can))}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="scope-grid">
        {scopeResources.map(([resource, label]) => (
          <label key={resource} class="filter">
            <span>{label}</span>
            <select
              class={levels[resource] === 'none' ? 'none' : ''}
              value={levels[resource] ?? 'none'}
              onChange={event => choose({ ...levels, [resource]: event.currentTarget.value as Level })}
            >
              {levelsOf(resource).map(level => (
                <option key={level} value={level} disabled={!scopesOfLevels({ [resource]: level }).every(can)}>
                  {wordOf(resource, level)}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function wordOf(resource: string, level: Level): string {
  switch (level) {
    case 'none':
      return '–';
    case 'read':
      return 'read';
    case 'send':
      return 'send';
    default:
      return resource === 'events' ? 'send and read' : 'read and write';
  }
}
