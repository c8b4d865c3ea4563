import {headers} from '../../contract/headers.js';
import {namesIn} from '../fields.js';

/**
 * The documented names of the parts of an error; the first match wins. The table of the test holds the service, the
 * version and the documentation for each name.
 */
export const errorNames = {
  /** In RFC 9457, `detail` is more exact than `title`; in OAuth (RFC 6749 §5.2), `error` is a text. */
  message: namesIn(
    'detail details message error_description error_message error_summary description msg title reason error',
  ),
  /** `error` is a code if the response also has a description. */
  code: namesIn('code error_code error'),
  requestId: namesIn('request_id trace_id correlation_id error_id'),
  /** Fields that may contain the error, a list of errors, or an object of field → errors. */
  envelopes: namesIn(
    'error errors error_messages error_causes violations field_violations field_errors issues message detail details data _embedded',
  ),
  /** HTTP statuses in the body. */
  status: namesIn('status status_code code'),
  /** The field of the request that an error is about. */
  path: namesIn('path field pointer param loc source'),
  /** Headers that hold the service's id of the request. */
  requestIdHeaders: [
    headers.requestId,
    'request-id',
    'x-correlation-id',
    'x-amzn-requestid',
    'x-trace-id',
  ],
  /** Headings of error pages, which name no cause. */
  headings: ['Status Report', 'Exception Report'],
} as const;
