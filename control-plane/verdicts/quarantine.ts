/** A quarantine of a region: for one project, or for all with null. */
export type QuarantineScope = { region: string; projectId: string | null };

/** The quarantines that last. */
export class Quarantines {
  readonly #everywhere: ReadonlySet<string>;
  readonly #byProject: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(scopes: readonly QuarantineScope[]) {
    this.#everywhere = new Set(scopes.flatMap(({ region, projectId }) => (projectId === null ? [region] : [])));
    const byProject = Map.groupBy(
      scopes.filter(scope => scope.projectId !== null),
      scope => scope.projectId ?? '',
    );
    this.#byProject = new Map(
      [...byProject].map(([projectId, own]) => [
        projectId,
        new Set([...this.#everywhere, ...own.map(({ region }) => region)]),
      ]),
    );
  }

  /** The regions whose votes do not count for a project. */
  of(projectId: string): ReadonlySet<string> {
    return this.#byProject.get(projectId) ?? this.#everywhere;
  }
}
