/** The types of resources in documents, in the order in which they are written; deletes run backwards. */
export const configTypes = [
  'secrets',
  'channels',
  'flows',
  'monitors',
  'status_pages',
  'components',
  'routes',
  'maintenances',
  'reports',
] as const;
export type ConfigType = (typeof configTypes)[number];
