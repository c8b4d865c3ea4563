// For cacheable-lookup, which got loads always and uses only with its `dnsCache` option.
export default class CacheableLookup {
  constructor() {
    throw new Error('The bundle has no DNS cache');
  }
}
