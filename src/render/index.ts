export {type ConnectorChange, diffConnectors, renderChange} from './changes.js';
export {
  type DetailsOptions,
  renderActivation,
  renderConnector,
  renderHeartbeat,
} from './details.js';
export {type ErrorJson, errorJson, renderError} from './error.js';
export {escapeControl} from './escape.js';
export {jsonLine, jsonText} from './json.js';
export {type ColourLevel, noColours, type Palette, paletteFor} from './palette.js';
export {
  type OutputFormat,
  outputFormats,
  type Renderer,
  type RenderOptions,
  rendererFor,
} from './renderer.js';
export {type Column, tableChunks} from './table.js';
export {cutListTalk, emptyListTalk, renderToken} from './talk.js';
export {exactTime, relativeTime} from './time.js';
