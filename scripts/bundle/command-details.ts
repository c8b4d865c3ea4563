/** The fields of a command in the manifest that are created on first use: nearly all of its size. */
export const detailNames = [
  'args',
  'description',
  'enableJsonFlag',
  'examples',
  'flags',
  'hasDynamicHelp',
  'isESM',
  'pluginAlias',
  'pluginName',
  'pluginType',
  'relativePath',
  'strict',
  'usage',
] as const;

export type DetailName = (typeof detailNames)[number];
