import {generate} from 'selfsigned';
import {day} from '../../src/domain/time.js';

/** A self-signed certificate; `from` and `until` are in days from now. */
export async function makeCertificate(host: string, from: number, until: number) {
  const altName = /^[\d.]+$/.test(host) ? {type: 7, ip: host} : {type: 2, value: host};
  const pems = await generate([{name: 'commonName', value: host}], {
    keyType: 'ec',
    notBeforeDate: new Date(Date.now() + from * day),
    notAfterDate: new Date(Date.now() + until * day),
    extensions: [{name: 'subjectAltName', altNames: [altName as {type: 2; value: string}]}],
  });
  return {key: pems.private, cert: pems.cert};
}

/** A public test certificate for 127.0.0.1 and localhost. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUZKZ9j5KXLEQNp5Z8mlS6LxpLkq8wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMDEyMTUwN1oYDzIxMjYxMDI3
MTIxNTA3WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAS7uuiyM1VwIFgqK1dF14rdb+dvAgEVu33lPaiprxhqZyp79VpgtBIu
r3ajiy6xfVsDwBeF2FeFGc3p6Yi17swao28wbTAdBgNVHQ4EFgQUFnpUIr62PwuS
zgLZr5kuja/XQRcwHwYDVR0jBBgwFoAUFnpUIr62PwuSzgLZr5kuja/XQRcwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDRwAwRAIgbuRy3wQbJGmAtyOXmbB8RVcjvAGJ8A7hIR1DVAlLxVUCIB7e
CxCP22PQt+HNjoP32LZdBH0KpvSce4H9C2/NsPu5
-----END CERTIFICATE-----
`;

/** The key of `certificate`. */
export const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgnxd3/t8ql5kZ0kFg
bzk8B60LUnpX5Qxj3+Xamwo1VKmhRANCAAS7uuiyM1VwIFgqK1dF14rdb+dvAgEV
u33lPaiprxhqZyp79VpgtBIur3ajiy6xfVsDwBeF2FeFGc3p6Yi17swa
-----END PRIVATE KEY-----
`;
