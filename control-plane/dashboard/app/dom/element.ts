/** Handles an event. After a refresh the newest description's handler is the one that runs. */
export type Listener = (event: Event) => void;

/** A part of the page that draws itself, such as a plot: mounted once, updated with new data, then removed. */
export type Island = {
  data: unknown;
  mount(host: HTMLElement): { update(data: unknown): void; remove(): void };
};

export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined | Listener | Island>>;

/** A virtual element; `patch.ts` creates the real one. Strings become text nodes and nothing else. */
export type Description = {
  tag: string;
  key: string | null;
  attributes: Attributes;
  children: readonly (Description | string)[];
};

/** Anything that can be a child; null, undefined, false and the empty string render nothing. */
export type Content = Description | string | number | null | undefined | false | readonly Content[];

/**
 * Describes an element. `key` identifies it among its siblings across refreshes. Event attributes take functions only,
 * and an `href` that is neither http(s) nor a path or fragment of this site is dropped, so data cannot become script.
 * Throws TypeError for attributes that would run or style text.
 */
export function element(tag: string, attributes: Attributes = {}, ...children: Content[]): Description {
  const { key, ...rest } = attributes;
  for (const [name, value] of Object.entries(rest)) {
    const isHandler = value === null || value === undefined || typeof value === 'function';
    if (name.startsWith('on') && !isHandler) throw new TypeError(`${name} must be a function`);
    if (name === 'style' || name === 'srcdoc' || name === 'innerHTML') throw new TypeError(`${name} is not allowed`);
  }
  const safe = 'href' in rest && !isSafeAddress(String(rest.href)) ? { ...rest, href: null } : rest;
  return {
    tag,
    key: key === undefined || key === null ? null : String(key),
    attributes: safe,
    children: flatten(children),
  };
}

function isSafeAddress(address: string): boolean {
  return /^(https?:\/\/|\/(?!\/)|#)/i.test(address);
}

function flatten(contents: readonly Content[]): (Description | string)[] {
  return contents.flatMap((content): (Description | string)[] => {
    if (content === null || content === undefined || content === false || content === '') return [];
    if (typeof content === 'string' || typeof content === 'number') return [String(content)];
    return Array.isArray(content) ? flatten(content) : [content as Description];
  });
}
