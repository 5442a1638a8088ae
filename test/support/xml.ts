import { SaxesParser } from 'saxes';

export type XmlElement = { name: string; attributes: Record<string, string>; children: XmlElement[]; text: string };

/** Parses XML strictly, with namespaces; throws if it is not well-formed. */
export function readXml(xml: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const root: XmlElement = { name: '#document', attributes: {}, children: [], text: '' };
  const open = [root];
  parser.on('error', error => {
    throw error;
  });
  parser.on('opentag', tag => {
    const attributes = Object.fromEntries(Object.values(tag.attributes).map(({ name, value }) => [name, value]));
    const element: XmlElement = { name: tag.name, attributes, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', text => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(xml).close();
  const [element] = root.children;
  if (element === undefined) throw new Error('no root element');
  return element;
}

export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter(child => child.name === name);
}

/** Text of the only child with that name; throws if there is none or more than one. */
export function onlyText(element: XmlElement, name: string): string {
  const [child, ...more] = childrenOf(element, name);
  if (child === undefined || more.length > 0)
    throw new Error(`${element.name} has ${more.length + (child ? 1 : 0)} ${name}`);
  return child.text;
}

export function elementsOf(element: XmlElement): XmlElement[] {
  return [element, ...element.children.flatMap(elementsOf)];
}
