// Replaces cacheable-lookup, which got always loads but uses only with its `dnsCache` option.
export default class CacheableLookup {
  constructor() {
    throw new Error('The bundle has no DNS cache');
  }
}
