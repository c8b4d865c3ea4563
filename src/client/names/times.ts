/** The documented forms of times in texts and objects. The table of the test holds their sources. */
export const forms = {
  /** interface §2 */
  usual: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/,
  iso: /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?) ?(?:(Z|UTC)|([+-]\d\d)(?::?(\d\d))?)?(?:\[[\w/+-]+\])?$/i,
  /** RFC 9110 §5.6.7, RFC 5322 §3.3 */
  mail: /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:GMT|[+-]\d{4})$/,
  digits: /^(?:\/Date\()?(-?\d+(?:\.\d+)?)(?:[+-]\d{4})?(?:\)\/)?$/,
  /** Fields of an object that hold a time. */
  inner: ['$date', '$numberLong'],
  /** Fields of seconds, and of the nanoseconds beside them. */
  seconds: ['_seconds', 'seconds', 'secs_since_epoch'],
  nanoseconds: ['_nanoseconds', 'nanoseconds', 'nanos', 'nanos_since_epoch'],
  /** Units of Unix times, each as its number per second. */
  units: [1, 1e3, 1e6, 1e9],
} as const;
