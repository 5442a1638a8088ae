/** What runs when an event comes; the newest description's wins. */
export type Listener = (event: Event) => void;

/** A part of the page that draws itself, such as a plot: made once, told of new data, taken away. */
export type Island = {
  data: unknown;
  mount(host: HTMLElement): { update(data: unknown): void; remove(): void };
};

export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined | Listener | Island>>;

/** What stands in the page: only described here; `patch.ts` makes it. Texts become text nodes and nothing else. */
export type Description = {
  tag: string;
  key: string | null;
  attributes: Attributes;
  children: readonly (Description | string)[];
};

export type Content = Description | string | number | null | undefined | false | readonly Content[];

/**
 * Describes an element. `key` finds it again among its siblings; `onclick` and its kin take functions only; an address
 * that is not of the web or of this page is left out, so that no datum can become a script.
 */
export function element(tag: string, attributes: Attributes = {}, ...children: Content[]): Description {
  const { key, ...rest } = attributes;
  for (const [name, value] of Object.entries(rest)) {
    const wanted = value === null || value === undefined || typeof value === 'function';
    if (name.startsWith('on') && !wanted) throw new TypeError(`${name} must be a function`);
    if (name === 'style' || name === 'srcdoc' || name === 'innerHTML') throw new TypeError(`${name} is not allowed`);
  }
  const safe = 'href' in rest && !isSafeAddress(String(rest.href)) ? { ...rest, href: null } : rest;
  return {
    tag,
    key: key === undefined || key === null ? null : String(key),
    attributes: safe,
    children: flat(children),
  };
}

function isSafeAddress(address: string): boolean {
  return /^(https?:\/\/|\/(?!\/)|#)/i.test(address);
}

function flat(contents: readonly Content[]): (Description | string)[] {
  return contents.flatMap((content): (Description | string)[] => {
    if (content === null || content === undefined || content === false || content === '') return [];
    if (typeof content === 'string' || typeof content === 'number') return [String(content)];
    return Array.isArray(content) ? flat(content) : [content as Description];
  });
}
