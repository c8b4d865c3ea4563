// Replaces modules that are loaded at start and never used: cacheable-lookup, cacheable-request and http2-wrapper, which
// got uses only with `dnsCache`, `cache` and `http2`, and of which the last creates a TLS context; and oclif's class for
// plugins on disk.
function refuse(): never {
  throw new Error('The bundle does without this module');
}

export default Object.assign(refuse, {auto: refuse});
export {refuse as CacheError, refuse as Plugin};
