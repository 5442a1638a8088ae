type Given<Query> = { [Name in keyof Query]?: Exclude<Query[Name], undefined | null | ''> };

/** The members of a query that ask for something: an empty choice stands for any. */
export function given<Query extends object>(query: Query): Given<Query> {
  const members = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return Object.fromEntries(members) as Given<Query>;
}

/** The choices in an address, separated by commas, as a list. The API refuses what it does not know. */
export function choicesOf<Value extends string>(text: string): Value[] | undefined {
  return text === '' ? undefined : (text.split(',') as Value[]);
}
