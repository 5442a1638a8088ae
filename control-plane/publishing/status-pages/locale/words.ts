import type { english } from './english.ts';

/** Every fixed word of status pages in one language. */
export type Words = Widened<typeof english>;

/** A word with a count: the form for one, and the form for every other number. */
export type CountedWord = { readonly one: string; readonly other: string };

type Widened<Text> = Text extends string ? string : { readonly [Key in keyof Text]: Widened<Text[Key]> };
