import type { Attributes, Description, Island, Listener } from './element.ts';

type Child = Description | string;
type Mounted = ReturnType<Island['mount']>;

// The description each node was last patched from. Weak maps: an entry is collected with its node.
const described = new WeakMap<Node, Description>();
const handlers = new WeakMap<Node, Map<string, Listener>>();
const islands = new WeakMap<Node, Mounted>();

const svg = 'http://www.w3.org/2000/svg';

/**
 * Makes the children of an element match the descriptions. Nodes are reused rather than recreated, so focus, typed
 * text, scroll position, selections and open dialogs survive a refresh.
 */
export function patch(parent: Element, children: readonly Child[]): void {
  const reuse = reusableNodes(parent);
  const nodes = children.map(child => reuse(child) ?? create(child, parent));
  const remaining = new Set<Node>(nodes);
  for (const node of [...parent.childNodes]) if (!remaining.has(node)) remove(node);
  let cursor = parent.firstChild;
  for (const [index, node] of nodes.entries()) {
    if (node === cursor) cursor = cursor.nextSibling;
    else insert(parent, node, cursor);
    const child = children[index];
    if (child !== undefined) update(node, child);
  }
}

/** Finds the existing node for a description: by key, else the next one of the same tag. Each node is used once. */
function reusableNodes(parent: Element): (child: Child) => ChildNode | undefined {
  const byKey = new Map<string, ChildNode>();
  const others: ChildNode[] = [];
  for (const node of parent.childNodes) {
    const key = described.get(node)?.key ?? null;
    if (key === null) others.push(node);
    else byKey.set(key, node);
  }
  return child => {
    if (typeof child !== 'string' && child.key !== null) {
      const found = byKey.get(child.key);
      byKey.delete(child.key);
      return found !== undefined && described.get(found)?.tag === child.tag ? found : undefined;
    }
    const index = others.findIndex(node =>
      typeof child === 'string' ? node.nodeType === Node.TEXT_NODE : described.get(node)?.tag === child.tag,
    );
    return index < 0 ? undefined : others.splice(index, 1)[0];
  };
}

function create(child: Child, parent: Element): ChildNode {
  if (typeof child === 'string') return document.createTextNode(child);
  const inSvg = child.tag === 'svg' || parent.namespaceURI === svg;
  return inSvg ? document.createElementNS(svg, child.tag) : document.createElement(child.tag);
}

/** `moveBefore` keeps the focus inside the moved node; browsers without it lose the focus. */
function insert(parent: Element, node: ChildNode, before: ChildNode | null): void {
  const mover = parent as Element & { moveBefore?: (node: Node, before: Node | null) => void };
  if (node.isConnected && mover.moveBefore !== undefined) mover.moveBefore(node, before);
  else parent.insertBefore(node, before);
}

function update(node: ChildNode, child: Child): void {
  if (typeof child === 'string') {
    if ((node as Text).data !== child) (node as Text).data = child;
    return;
  }
  const previous = described.get(node);
  if (previous === child) return;
  const host = node as HTMLElement;
  described.set(host, child);
  setAttributes(host, previous?.attributes ?? {}, child.attributes);
  const island = child.attributes.island as Island | undefined;
  if (island === undefined) patch(host, child.children);
  else {
    const mounted = islands.get(host) ?? island.mount(host);
    islands.set(host, mounted);
    mounted.update(island.data);
  }
  setValue(host, previous?.attributes, child.attributes);
  // The autofocus attribute only works on elements inserted with it.
  if (previous === undefined && child.attributes.autofocus === true) host.focus();
  if (previous === undefined && child.attributes.modal === true) (host as HTMLDialogElement).showModal();
}

function setAttributes(host: HTMLElement, before: Attributes, after: Attributes): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const value = after[name];
    if (value === before[name] || ['value', 'checked', 'island', 'modal'].includes(name)) continue;
    if (name.startsWith('on')) listen(host, name.slice(2), (value as Listener | null | undefined) ?? null);
    else if (value === null || value === undefined || value === false) host.removeAttribute(name);
    else host.setAttribute(name, value === true ? '' : String(value));
  }
}

function listen(host: HTMLElement, name: string, listener: Listener | null): void {
  const byEvent = handlers.get(host) ?? new Map<string, Listener>();
  if (!byEvent.has(name)) host.addEventListener(name, event => byEvent.get(name)?.(event));
  byEvent.set(name, listener ?? (() => undefined));
  handlers.set(host, byEvent);
}

/** Never overwrites user input: a new value is applied only if the field still holds the previous described one. */
function setValue(host: HTMLElement, before: Attributes | undefined, after: Attributes): void {
  const field = host as HTMLInputElement;
  for (const name of ['value', 'checked'] as const) {
    const value = after[name];
    if (value === undefined || (before !== undefined && before[name] === value)) continue;
    const current = name === 'value' ? field.value : field.checked;
    const previous = name === 'value' ? String(before?.value ?? '') : before?.checked === true;
    if (before !== undefined && current !== previous) continue;
    if (name === 'value') field.value = String(value ?? '');
    else field.checked = value === true;
  }
}

function remove(node: ChildNode): void {
  if (node instanceof Element) {
    for (const inner of node.querySelectorAll('*')) islands.get(inner)?.remove();
    islands.get(node)?.remove();
    // Closing first returns the focus to the element that had it before the dialog opened.
    if (node instanceof HTMLDialogElement && node.open) node.close();
  }
  node.remove();
}
