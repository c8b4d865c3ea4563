// The forms of the variables for proxies: what curl 7.88.1 of Debian 12 does with each, and where we differ. Sources:
// curl(1), "ENVIRONMENT"; CURLOPT_NOPROXY(3); https://everything.curl.dev/usingcurl/proxies/env.html. The tests of
// `test/outside/gateways` run curl itself.

/** The reason that we read a form differently than curl; absent where we agree. */
type Because = string;

const likeGo = 'Go reads it so, and nobody writes it for another reason';

/** A value of NO_PROXY, a URL, and whether the value names its host; for curl the opposite where we differ. */
export const exclusionForms: readonly (readonly [
  list: string,
  url: string,
  isExcluded: boolean,
  because?: Because,
])[] = [
  ['', 'http://a.example', false],
  ['a.example', 'http://a.example', true],
  ['A.Example', 'http://a.example', true],
  ['a.example.', 'http://a.example', true],
  ['a.example', 'http://a.example.', true],
  ['example', 'http://a.example', true],
  ['.example', 'http://a.example', true],
  ['.a.example', 'http://a.example', true],
  ['xample', 'http://a.example', false],
  ['a.example', 'http://example', false],
  ['.', 'http://a.example', false],
  ['b.example,a.example', 'http://a.example', true],
  ['b.example , a.example', 'http://a.example', true],
  ['b.example a.example', 'http://a.example', true],
  ['*', 'http://a.example', true],
  ['*', 'http://10.1.2.3', true],
  ['b,*', 'http://a.example', true, likeGo],
  ['*.example', 'http://a.example', true, likeGo],
  ['a.example:80', 'http://a.example', true, likeGo],
  ['a.example:81', 'http://a.example', false],
  ['10.1.2.3', 'http://10.1.2.3:8080', true],
  ['10.1.2.4', 'http://10.1.2.3', false],
  ['10.0.0.0/8', 'http://10.1.2.3', true],
  ['10.9.9.9/8', 'http://10.1.2.3', true],
  ['10.0.0.0/16', 'http://10.1.2.3', false],
  ['10.0.0.0/33', 'http://10.1.2.3', false],
  ['10.0.0.0/x', 'http://10.1.2.3', false],
  ['10.0.0.0/8', 'http://a.example', false],
  ['0.0.0.0/0', 'http://10.1.2.3', true, 'a prefix of 0 bits has every address (RFC 4632 §3.1)'],
  ['fd00::1', 'http://[fd00::1]', true],
  ['fd00::2', 'http://[fd00::1]', false],
  ['[fd00::1]', 'http://[fd00::1]', true, likeGo],
  ['[fd00::1]:80', 'http://[fd00::1]', true, likeGo],
  ['[fd00::1]:81', 'http://[fd00::1]', false],
  ['fd00:0::1', 'http://[fd00::1]', true, 'it is the same address (RFC 5952 §2)'],
  [
    'fd00::/8',
    'http://[fd00::1]',
    true,
    'CURLOPT_NOPROXY(3) promises it, but this curl compares the texts',
  ],
];

/** `HOST:PORT` of the proxy, after `USER:PASSWORD@` where curl sends them; or the end of our refusal. */
type Outcome = string | RegExp;

const misread = 'a URL parser takes what follows for a path: the password would be shown as a host';

/** A value of the variable, in which PORT stands for a port; where we refuse and do not differ, curl refuses. */
export const urlForms: readonly (readonly [
  value: string,
  outcome: Outcome,
  forCurl?: Outcome,
  because?: Because,
])[] = [
  ['http://127.0.0.1:PORT', '127.0.0.1:PORT'],
  ['http://127.0.0.1:PORT/', '127.0.0.1:PORT'],
  ['HTTP://127.0.0.1:PORT', '127.0.0.1:PORT'],
  ['127.0.0.1:PORT', '127.0.0.1:PORT'],
  ['user:secret@127.0.0.1:PORT', 'user:secret@127.0.0.1:PORT'],
  ['http://user:secret@127.0.0.1:PORT', 'user:secret@127.0.0.1:PORT'],
  ['http://user@127.0.0.1:PORT', 'user:@127.0.0.1:PORT'],
  ['http://user:s%40%5C%c3%bc@127.0.0.1:PORT', 'user:s@\\ü@127.0.0.1:PORT'],
  ["http://user:it's@127.0.0.1:PORT", "user:it's@127.0.0.1:PORT"],
  ['http://[::1]:PORT', '[::1]:PORT'],
  ['https://127.0.0.1', '127.0.0.1:443'],
  [
    'http://127.0.0.1',
    '127.0.0.1:80',
    '127.0.0.1:1080',
    'a URL without port has that of its scheme (RFC 3986 §3.2.3), as in Go',
  ],
  ['ftp://127.0.0.1:PORT', /is not http or https$/],
  ['http://', /is not a URL$/],
  ['http://127.0.0.1:port', /is not a URL$/],
  ['"http://127.0.0.1:PORT"', /the character "\\"".*%22$/],
  [' http://127.0.0.1:PORT', /the character " ".*%20$/],
  ['http://user:sec ret@127.0.0.1:PORT', /the character " ".*%20$/],
  ['http://user:sec#ret@127.0.0.1:PORT', /the character "#".*%23$/],
  ['http://user:sec?ret@127.0.0.1:PORT', /the character "\?".*%3F$/],
  ['http://user:12/secret@127.0.0.1:PORT', /the character "\/".*%2F$/],
  ['http://127.0.0.1:PORT/path', /the character "\/".*%2F$/, '127.0.0.1:PORT', misread],
  [
    'http://DOMAIN\\user:secret@127.0.0.1:PORT',
    /the character "\\\\".*%5C$/,
    'DOMAIN\\user:secret@127.0.0.1:PORT',
    misread,
  ],
  [
    'http://user:100%sure@127.0.0.1:PORT',
    /the character "%".*%25$/,
    'user:100%sure@127.0.0.1:PORT',
    'a % that begins no escape leaves open whether the others are escaped',
  ],
  [
    'http://user:s@cret@127.0.0.1:PORT',
    'user:s@cret@127.0.0.1:PORT',
    /refused/,
    'only the last @ can precede a host, as in the URL Standard',
  ],
];

/** An environment, a URL, and the variable that counts for it. */
export const variableForms: readonly (readonly [
  env: Readonly<Record<string, string>>,
  url: string,
  variable: string | undefined,
  forCurl?: string,
  because?: Because,
])[] = [
  [{}, 'http://a.example', undefined],
  [{http_proxy: 'one'}, 'http://a.example', 'http_proxy'],
  [{http_proxy: 'one'}, 'https://a.example', undefined],
  [{https_proxy: 'one', HTTPS_PROXY: 'two'}, 'https://a.example', 'https_proxy'],
  [{HTTPS_PROXY: 'two', ALL_PROXY: 'one'}, 'https://a.example', 'HTTPS_PROXY'],
  [{all_proxy: 'one', ALL_PROXY: 'two'}, 'http://a.example', 'all_proxy'],
  [{http_proxy: '', ALL_PROXY: 'one'}, 'http://a.example', 'ALL_PROXY'],
  [{http_proxy: 'one', no_proxy: '*'}, 'http://a.example', undefined],
  [{http_proxy: 'one', NO_PROXY: '*'}, 'http://a.example', undefined],
  [{http_proxy: 'one', no_proxy: 'b', NO_PROXY: '*'}, 'http://a.example', 'http_proxy'],
  [
    {HTTP_PROXY: 'one'},
    'http://a.example',
    'HTTP_PROXY',
    'none',
    'everybody sets it; only a CGI program must not read it',
  ],
  [{HTTP_PROXY: 'one', REQUEST_METHOD: 'GET'}, 'http://a.example', undefined],
];
