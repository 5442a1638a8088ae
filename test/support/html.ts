import { parse, parseFragment, type DefaultTreeAdapterTypes as Tree } from 'parse5';

export type HtmlElement = { tag: string; attributes: Record<string, string>; text: string; inside: readonly string[] };

/** A document as a browser parses it: its elements in order, its text, and parse errors. */
export type Html = { elements: HtmlElement[]; text: string; errors: string[] };

export function readHtml(html: string): Html {
  const errors: string[] = [];
  const document = parse(html, { onParseError: error => errors.push(`${error.code} in line ${error.startLine}`) });
  return { ...contents(document), errors };
}

export function readHtmlFragment(html: string): Html {
  const errors: string[] = [];
  const fragment = parseFragment(html, { onParseError: error => errors.push(error.code) });
  return { ...contents(fragment), errors };
}

/** Every element with a tag name, or with a class if `name` starts with a dot. */
export function find({ elements }: Html, name: string): HtmlElement[] {
  return elements.filter(({ tag, attributes }) =>
    name.startsWith('.') ? attributes.class?.split(' ').includes(name.slice(1)) : tag === name,
  );
}

function contents(root: Tree.Node): Omit<Html, 'errors'> {
  const elements: HtmlElement[] = [];
  const visit = (node: Tree.Node, inside: readonly string[]): void => {
    const within = 'tagName' in node ? [...inside, node.tagName] : inside;
    if ('tagName' in node) {
      const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]));
      elements.push({ tag: node.tagName, attributes, text: textOf(node), inside });
    }
    if ('childNodes' in node) for (const child of node.childNodes) visit(child, within);
  };
  visit(root, []);
  return { elements, text: textOf(root) };
}

function textOf(node: Tree.Node): string {
  if (node.nodeName === '#text' && 'value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

const tags = new Set(
  `html head meta title link style body a p header main section article div span h1 h2 h3 h4 h5 h6 ul ol li dl dt dd
  nav footer details summary svg symbol g path circle rect use time b bdi strong em s code pre blockquote hr br
  table thead tbody tr th td form label input button fieldset legend img`.split(/\s+/),
);
const attributeNames = new Set(
  `lang charset name content property rel type title href id class dir d viewBox width height x y rx cx cy r
  aria-hidden aria-label aria-labelledby aria-describedby preserveAspectRatio stroke-width datetime open method action
  for autocomplete maxlength required value start src alt role tabindex`.split(/\s+/),
);

/** The pictures of a status page, on its own origin. */
const ownPicture = /^\/status\/[^/]+\/(logo|icon\.svg(\?[a-z]+)?)$/;

/** Everything in a page that is not known to be harmless: it could run, load or lead elsewhere. */
export function dangersOf({ elements }: Html): string[] {
  return elements.flatMap(({ tag, attributes }) => [
    ...(tags.has(tag) ? [] : [`element ${tag}`]),
    ...(attributes.rel === 'icon' && !ownPicture.test(attributes.href ?? '') ? [`icon ${attributes.href}`] : []),
    ...Object.entries(attributes).flatMap(([name, value]) => attributeDanger(tag, name, value)),
  ]);
}

function attributeDanger(tag: string, name: string, value: string): string[] {
  if (!attributeNames.has(name)) return [`attribute ${name} of ${tag}`];
  if (name === 'content' && /url=/i.test(value) && tag !== 'meta') return [`content ${value}`];
  if (name === 'action' && !/^\/(?![/\\])/.test(value)) return [`action ${value}`];
  if (name === 'rel' && /stylesheet|preload|prefetch|preconnect|.icon|icon.|import/i.test(value))
    return [`rel ${value}`];
  if (name === 'src' && (tag !== 'img' || !ownPicture.test(value))) return [`src ${value} of ${tag}`];
  return name === 'href' && !/^(https?:\/\/|mailto:|\/(?![/\\])|#)/.test(value) ? [`href ${value}`] : [];
}
