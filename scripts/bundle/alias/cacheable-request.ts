// For cacheable-request, which got loads always and uses only with its `cache` option.
export class CacheError extends Error {}

export default class CacheableRequest {
  constructor() {
    throw new Error('The bundle has no HTTP cache');
  }
}
