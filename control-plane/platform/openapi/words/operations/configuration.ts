/** What the operations on documents do, by name. */
export const configurationOperations: Readonly<Record<string, string>> = {
  planConfig:
    'Every error of all documents is returned at once, with `path`, `line` and `column`. The plan can be applied for ' +
    'an hour; of more than twenty plans that are open, the oldest end. Requires `:read` of each type in it; secrets ' +
    'are not compared without `:write`, and the plan cannot be applied then.',
  getConfigPlan:
    'Returns a plan for an hour, and for a day once it is applied. Requires `:read` of each type in its documents.',
  applyConfig:
    'Writes all changes of the plan in one transaction. A plan is refused when a resource that it compared has ' +
    'changed since. Applied again, it returns the same. Requires `:write` of each type that it changes.',
  listConfigManagers:
    'All of them in one answer. A manager is not listed once it has nothing, or all of it is released.',
  exportConfig:
    'YAML, or JSON with `Accept: application/json`. Secrets, and values that may be some, are `{$env: NAME}`: an ' +
    'export never holds one. Requires `:read` of each type in it.',
  releaseConfig:
    'The resources stay as they are, with their keys; documents have to adopt them to manage them again. Requires ' +
    '`:write` of each type.',
};
