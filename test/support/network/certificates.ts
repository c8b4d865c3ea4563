import {writeFileSync} from 'node:fs';
import {generate} from 'selfsigned';
import {day} from '../../../src/domain/time.js';

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

/** Writes a certificate and its key into a directory. @returns their paths */
export function writeTls(
  at: (name: string) => string,
  {cert, key}: {readonly cert: string; readonly key: string} = {cert: certificate, key: privateKey},
): {cert: string; key: string} {
  const paths = {cert: at('cert.pem'), key: at('key.pem')};
  writeFileSync(paths.cert, cert);
  writeFileSync(paths.key, key, {mode: 0o600});
  return paths;
}

/** A public test certificate for 127.0.0.1 and localhost, from 2000 to 2126: valid whatever the clock says. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBTDCB9aADAgECAgkCsSVHK3wRtBMwCQYHKoZIzj0EATAUMRIwEAYDVQQDEwkx
MjcuMC4wLjEwIBcNMDAwMTAxMDAwMDAwWhgPMjEyNjEwMjcxMjE1MDdaMBQxEjAQ
BgNVBAMTCTEyNy4wLjAuMTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLcqISbZ
jHCFbmAWkLym1r1HmA4AQbC+/17cQy1p5syTi3ww0qbvGg+Ve1H8o1CSSQoa0OnO
+eIERpOuCfytuCajLzAtMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMwEYcEfwAA
AYIJbG9jYWxob3N0MAkGByqGSM49BAEDRwAwRAIgf45AuDEtWtsnjNq50X5EDRHU
yWMmDL5NWw/dOgewfmUCIBPvJa+sfNK5pzzoV1W/u3VPqx98ZPskxf6FQJSI0vK/
-----END CERTIFICATE-----
`;

/** The key of `certificate`. */
export const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsCkuUOZgfARvNxiV
z1+Hd2ujG4CXGoq0BC/+Cre52UKhRANCAAS3KiEm2YxwhW5gFpC8pta9R5gOAEGw
vv9e3EMtaebMk4t8MNKm7xoPlXtR/KNQkkkKGtDpzvniBEaTrgn8rbgm
-----END PRIVATE KEY-----
`;
