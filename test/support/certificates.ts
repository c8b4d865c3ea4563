import {generate} from 'selfsigned';

const day = 24 * 60 * 60 * 1000;

/** A self-signed certificate; `from` and `until` are in days from now. */
export async function certificate(host: string, from: number, until: number) {
  const altName = /^[\d.]+$/.test(host) ? {type: 7, ip: host} : {type: 2, value: host};
  const pems = await generate([{name: 'commonName', value: host}], {
    keyType: 'ec',
    notBeforeDate: new Date(Date.now() + from * day),
    notAfterDate: new Date(Date.now() + until * day),
    extensions: [{name: 'subjectAltName', altNames: [altName as {type: 2; value: string}]}],
  });
  return {key: pems.private, cert: pems.cert};
}
